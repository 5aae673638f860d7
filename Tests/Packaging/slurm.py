"""Slurm on this machine: a controller and two nodes, on loopback, of the current user, without a service."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time


def ports(count):
    """Ports that are free now."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return found


class Cluster:
    """Starts in `folder`; `programs` is where Debian's packages of Slurm are unpacked."""

    def __init__(self, folder, programs):
        self.folder, root = pathlib.Path(folder), pathlib.Path(programs)
        plugins = next(root.glob("usr/lib/*/slurm-wlm"))
        host, user = socket.gethostname().split(".")[0], subprocess.check_output(["id", "-un"], text=True).strip()
        control, first, second = ports(3)
        for name in ("state", "n1", "n2"):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(f"""\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
PluginDir={plugins}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/%n
SlurmctldPidFile={self.folder}/controller.pid
SlurmdPidFile={self.folder}/%n.pid
SlurmctldLogFile={self.folder}/controller.log
SlurmdLogFile={self.folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=1000
MaxArraySize=4
SchedulerParameters=sched_interval=2,sched_min_interval=0
SlurmdTimeout=10
AuthInfo=cred_expire=5
ReturnToService=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs=2 RealMemory=2000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs=2 RealMemory=2000
PartitionName=main Nodes=ALL Default=YES State=UP
""")
        # Debian names the daemons so that it can choose one of several builds; Slurm 24 asks what name it was started by.
        daemons = {}
        for name in ("slurmctld", "slurmd", "slurmstepd"):
            daemons[name] = self.folder / name
            daemons[name].symlink_to(next(root.resolve().glob(f"usr/sbin/{name}*")))
        self.environment = dict(
            os.environ, SLURM_CONF=str(self.folder / "slurm.conf"), LD_LIBRARY_PATH=f"{plugins}:{plugins.parent}",
            PATH=f"{root}/usr/bin:{os.environ['PATH']}")
        version = subprocess.check_output([daemons["slurmctld"], "-V"], env=self.environment, text=True).split()[-1]
        if int(version.split(".")[0]) >= 23:
            # Earlier ones have no such plugin, and start without control groups.
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        self.controller = self.start(daemons["slurmctld"], "-D", "-i")
        self.daemons = daemons
        self.nodes = {name: self.start_node(name) for name in ("n1", "n2")}

    def start_node(self, name):
        return self.start(self.daemons["slurmd"], "-D", "-N", name, "-d", self.daemons["slurmstepd"])

    def start(self, *words):
        with open(self.folder / "daemons.log", "a", encoding="utf-8") as log:
            return subprocess.Popen(list(map(str, words)), env=self.environment, stdout=log, stderr=log)

    def wait(self, seconds=60):
        """Waits until both nodes take jobs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            said = subprocess.run(["sinfo", "-h", "-o", "%D %t"], env=self.environment, capture_output=True, text=True)
            if said.stdout.split() == ["2", "idle"]:
                return
            time.sleep(0.3)
        raise TimeoutError((self.folder / "daemons.log").read_text() + said.stdout + said.stderr)

    def lose(self, name, *steps):
        """Ends a node as if its power were cut: its daemon, then the processes of its job step."""
        for process in (self.nodes[name].pid, *steps):
            os.kill(process, signal.SIGKILL)
        self.nodes[name].wait()

    def state(self, name):
        said = subprocess.run(["sinfo", "-h", "-n", name, "-o", "%T"], env=self.environment, capture_output=True, text=True)
        return said.stdout.strip()

    def stop(self):
        processes = [*self.nodes.values(), self.controller]
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def unpacked():
    """The folder of $FACEGAUGE_SLURM, or None."""
    folder = os.environ.get("FACEGAUGE_SLURM", "")
    return folder if folder and shutil.which("sbatch", path=f"{folder}/usr/bin") else None
