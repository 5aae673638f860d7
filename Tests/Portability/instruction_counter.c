// A plugin of QEMU 7.2: counts the instructions that a program executes, and those that are fused multiply-adds.
// Prints `INSTRUCTIONS MULTIPLY_ADDS` at the end. The declarations are of QEMU's plugin interface, version 1.

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int operation, void *, uint64_t by);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*)(uint64_t id, void *), void *);
void qemu_plugin_outs(const char *text);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int qemu_plugin_version = 1;

static uint64_t executed, multiply_adds;

static void translate(uint64_t id, struct qemu_plugin_tb *block) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
    qemu_plugin_register_vcpu_insn_exec_inline(instruction, 0, &executed, 1);
    char *text = qemu_plugin_insn_disas(instruction);
    if (strstr(text, "fmla") || strstr(text, "fmls") || strstr(text, "vfm") || strstr(text, "vfnm"))
      qemu_plugin_register_vcpu_insn_exec_inline(instruction, 0, &multiply_adds, 1);
    free(text);
  }
}

static void report(uint64_t id, void *data) {
  (void)id, (void)data;
  char text[64];
  snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 "\n", executed, multiply_adds);
  qemu_plugin_outs(text);
}

EXPORTED int qemu_plugin_install(uint64_t id, const void *information, int count, char **arguments) {
  (void)information, (void)count, (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  qemu_plugin_register_atexit_cb(id, report, NULL);
  return 0;
}
