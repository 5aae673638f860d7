"""The manifests of the guide against the published schemas of Kubernetes and AWS Batch; `make test-manifests` runs it."""

import fnmatch
import json
import pathlib
import re
import unittest

import botocore.session
import botocore.validate
import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "Sources/facegauge/Guides.docc/RunningInShards.md").read_text(encoding="utf-8")
# What the guide's table says of statuses: the same again, and what another attempt may cure.
HOPELESS, CURABLE = [64, 65, 66, 69, 73, 74], [75, 128 + 9, 128 + 15]


def blocks(language, count):
    found = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    assert len(found) == count, f"expected {count} blocks of {language}, found {len(found)}"
    return found


class KubernetesTests(unittest.TestCase):
    def setUp(self):
        self.job, self.join = map(yaml.safe_load, blocks("yaml", 2))

    def test_the_jobs_are_valid_from_the_version_on_that_the_guide_names(self):
        first = re.search(r"Kubernetes (1\.\d+) and later", GUIDE)[1]
        latest = kubernetes_validate.latest_version()
        for minor in range(int(first[2:]), int(latest.split(".")[1]) + 1):
            for job in (self.job, self.join):
                kubernetes_validate.validate(job, f"1.{minor}", strict=True)
        self.job["spec"]["completionMod"] = self.job["spec"].pop("completionMode")
        self.join["spec"]["backofLimit"] = self.join["spec"].pop("backoffLimit")
        for job in (self.job, self.join):
            with self.assertRaises(kubernetes_validate.ValidationError):
                kubernetes_validate.validate(job, latest, strict=True)

    def test_the_job_that_joins_reads_the_parts_of_the_other(self):
        shard, join = (job["spec"]["template"]["spec"] for job in (self.job, self.join))
        words = shard["containers"][0]["args"]
        self.assertEqual(join["containers"][0]["args"][:2], ["join", words[words.index("-o") + 1]])
        for key in ("image", "workingDir", "volumeMounts"):
            self.assertEqual(join["containers"][0][key], shard["containers"][0][key])
        self.assertEqual((join["volumes"], join["restartPolicy"]), (shard["volumes"], "Never"))
        self.assertIn(f"kubectl wait --for=condition=complete --timeout=24h job/{self.job['metadata']['name']} &&", GUIDE)
        rule = self.join["spec"]["podFailurePolicy"]["rules"][0]["onExitCodes"]
        # A gate that fails fails again.
        self.assertEqual((rule["containerName"], rule["values"]), (join["containers"][0]["name"], [1, 2, 3, *HOPELESS]))

    def test_shards_volumes_and_statuses_agree(self):
        spec, pod = self.job["spec"], self.job["spec"]["template"]["spec"]
        container = pod["containers"][0]
        # What the schema cannot say: limits per index need indexes, and pods that are not started again in place.
        self.assertEqual((spec["completionMode"], pod["restartPolicy"]), ("Indexed", "Never"))
        self.assertEqual(container["args"][-1], f"auto/{spec['completions']}")
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]},
                         {volume["name"] for volume in pod["volumes"]})
        rule = spec["podFailurePolicy"]["rules"][0]["onExitCodes"]
        self.assertEqual((rule["containerName"], rule["values"]), (container["name"], HOPELESS))


class BatchTests(unittest.TestCase):
    def setUp(self):
        self.job = json.loads(blocks("json", 1)[0])
        self.shape = botocore.session.get_session().get_service_model("batch").operation_model("SubmitJob").input_shape

    def report(self):
        return botocore.validate.ParamValidator().validate(self.job, self.shape).generate_report()

    def test_the_job_is_a_request_of_submit_job(self):
        self.assertEqual(self.report(), "")
        self.job["retryStrategy"]["attempts"] = "4"
        self.assertIn("retryStrategy.attempts", self.report())

    def test_shards_command_and_statuses_agree(self):
        size, command = self.job["arrayProperties"]["size"], self.job["containerOverrides"]["command"]
        self.assertTrue(2 <= size <= 10_000)
        # The image's entry point is the program, and the command follows it.
        container = (ROOT / "Sources/Packaging/Containerfile").read_text(encoding="utf-8")
        self.assertIn('ENTRYPOINT ["facegauge"]', container)
        self.assertEqual((command[0], command[-1]), ("evaluate", f"auto/{size}"))
        rules = self.job["retryStrategy"]["evaluateOnExit"]
        self.assertLessEqual(len(rules), 5)

        def action(status):
            return next((rule["action"] for rule in rules if fnmatch.fnmatch(str(status), rule["onExitCode"])), "RETRY")
        self.assertEqual({action(status) for status in HOPELESS}, {"EXIT"})
        self.assertEqual({action(status) for status in CURABLE}, {"RETRY"})


if __name__ == "__main__":
    unittest.main()
