// The test pool of the local ledger: it verifies a Groth16 proof and spends two nullifiers, each exactly once.
// Its key has a public trapdoor (key.h): anyone can make a valid proof of anything.
//
// One instruction:
//   0x01 | A 64 | B 128 | C 64 | root, publicAmount, extDataHash, nullifier 2x, commitment 2x (32 bytes each, big-endian)
// Accounts:
//   payer (signer, writable), the nullifier accounts ["nullifier", nullifier] (writable), the System program
//
// With -DUNITS_ASKED=n the last account is the sysvar of the transaction's instructions: a transaction that states fewer
// compute units than n is refused, however few it needs.
//
// With -DOUTPUTS the program also makes an account of each commitment, ["commitment", commitment] (writable), which stand
// after the nullifiers' accounts: they show that this very package was executed.
#include "abi.h"
#include "key.h"

enum {
  WRONG_DATA = 1,
  WRONG_ACCOUNTS,
  SIGNAL_NOT_REDUCED,
  POINT_INVALID,
  PROOF_INVALID,
  WRONG_NULLIFIER_ACCOUNT,
  NULLIFIER_SPENT,
  RENT_UNKNOWN,
  CALL_FAILED,
  TOO_FEW_UNITS,
  WRONG_OUTPUT_ACCOUNT,
  OUTPUT_EXISTS
};

enum { SIGNALS = 7, NULLIFIERS = 2, FIRST_NULLIFIER = 3, EVENT_FIELDS = 4 };
#ifdef OUTPUTS
enum { COMMITMENTS = 2, ACCOUNTS = 6 };
#else
enum { ACCOUNTS = 4 };
#endif
enum { PROOF = 256, G1 = 64, G2 = 128, WORD = 32 };

static const u8 SYSTEM_PROGRAM[32] = {0};
static const u8 SEED[] = "nullifier";

typedef struct {
  Account accounts[8];
  u8 term[G1 + WORD];
  u8 sum[2 * G1];
  u8 pairs[4 * (G1 + G2)];
  u8 result[G1];
  Slice seeds[3];
  Slice signer[1];
  Meta metas[2];
  Instruction instruction;
  u8 data[56], address[32], bump[8], rent[24];
  Slice event[EVENT_FIELDS];
} Scratch;

OUTLINE void put_pair(u8 *to, const u8 *g1, const u8 *g2) {
  sol_memcpy_(to, g1, G1);
  sol_memcpy_(to + G1, g2, G2);
}

// e(A, B) * e(-alpha, beta) * e(IC0 + sum of signal * IC, -gamma) * e(C, -delta) == 1
OUTLINE int verify(Scratch *m, const u8 *proof, const u8 *signals) {
  sol_memcpy_(m->sum, KEY_IC[0], G1);
  for (u64 i = 0; i < SIGNALS; i++) {
    sol_memcpy_(m->term, KEY_IC[i + 1], G1);
    copy32(m->term + G1, signals + WORD * i);
    // The addition takes its two points side by side.
    if (sol_alt_bn128_group_op(BN128_MULTIPLY, m->term, G1 + WORD, m->sum + G1)) return POINT_INVALID;
    if (sol_alt_bn128_group_op(BN128_ADD, m->sum, 2 * G1, m->result)) return POINT_INVALID;
    sol_memcpy_(m->sum, m->result, G1);
  }
  put_pair(m->pairs, proof, proof + G1);
  put_pair(m->pairs + (G1 + G2), KEY_NEGATED_ALPHA, KEY_BETA);
  put_pair(m->pairs + 2 * (G1 + G2), m->sum, KEY_NEGATED_GAMMA);
  put_pair(m->pairs + 3 * (G1 + G2), proof + G1 + G2, KEY_NEGATED_DELTA);
  if (sol_alt_bn128_group_op(BN128_PAIRING, m->pairs, sizeof m->pairs, m->result)) return POINT_INVALID;
  // The answer is the integer 1 or 0, big-endian.
  u64 others = load(m->result) | load(m->result + 8) | load(m->result + 16);
  return others | (load(m->result + 24) ^ (1ull << 56)) ? PROOF_INVALID : 0;
}

// What an account without data must hold, or 0. The threshold of the sysvar is a double: 1.0 or 2.0 years.
OUTLINE u64 least_balance(Scratch *m) {
  if (sol_get_rent_sysvar(m->rent)) return 0;
  u64 per_byte_year = load(m->rent), years = load(m->rent + 8);
  if (years == 0x4000000000000000ull) return 128 * 2 * per_byte_year;
  if (years == 0x3ff0000000000000ull) return 128 * per_byte_year;
  return 0;
}

// Calls the System program about `account`, paid by the payer where two accounts are named.
OUTLINE int call_system(Scratch *m, u64 data_length, int with_payer, const Account *account, int account_signs) {
  u64 at = 0;
  if (with_payer) m->metas[at++] = (Meta){m->accounts[0].key, 1, 1};
  m->metas[at++] = (Meta){account->key, 1, (u8)account_signs};
  m->instruction = (Instruction){SYSTEM_PROGRAM, m->metas, at, m->data, data_length};
  return sol_invoke_signed_c(&m->instruction, m->accounts, ACCOUNTS, m->signer, 1) ? CALL_FAILED : 0;
}

// Whether the account is that of the word, under the seed in m->seeds[0].
OUTLINE int is_of(Scratch *m, const u8 *word, const Account *account, const u8 *program) {
  m->seeds[1] = (Slice){word, WORD};
  m->seeds[2] = (Slice){m->bump, 1};
  return !sol_try_find_program_address(m->seeds, 2, program, m->address, m->bump) && equal32(m->address, account->key);
}

OUTLINE int is_taken(const Account *account) {
  return !equal32(account->owner, SYSTEM_PROGRAM) || account->data_length;
}

// Makes the account of m->seeds the program's own.
OUTLINE int take(Scratch *m, Account *account, const u8 *program) {
  u64 needed = least_balance(m), held = *account->lamports;
  if (!needed) return RENT_UNKNOWN;
  m->signer[0] = (Slice){(const u8 *)m->seeds, 3};
  if (!held) {  // CreateAccount { lamports, space: 0, owner }
    store(m->data, 0);
    store(m->data + 4, needed);
    store(m->data + 12, 0);
    copy32(m->data + 20, program);
    return call_system(m, 52, 1, account, 1);
  }
  // Somebody has sent lamports there, so that CreateAccount would refuse it: Transfer what is missing, then Assign.
  if (held < needed) {
    *(u32 *)m->data = 2;
    store(m->data + 4, needed - held);
    int failed = call_system(m, 12, 1, account, 0);
    if (failed) return failed;
  }
  *(u32 *)m->data = 1;
  copy32(m->data + 4, program);
  return call_system(m, 36, 0, account, 1);
}

// A nullifier whose account is the program's own is spent.
OUTLINE int spend(Scratch *m, const u8 *nullifier, Account *account, const u8 *program) {
  m->seeds[0] = (Slice){SEED, sizeof SEED - 1};
  if (!is_of(m, nullifier, account, program)) {
    LOG("pool: wrong nullifier account");
    return WRONG_NULLIFIER_ACCOUNT;
  }
  if (is_taken(account)) {
    LOG("pool: nullifier already spent");
    return NULLIFIER_SPENT;
  }
  return take(m, account, program);
}

#ifdef OUTPUTS
static const u8 OUTPUT_SEED[] = "commitment";

OUTLINE int put_out(Scratch *m, const u8 *commitment, Account *account, const u8 *program) {
  m->seeds[0] = (Slice){OUTPUT_SEED, sizeof OUTPUT_SEED - 1};
  if (!is_of(m, commitment, account, program)) {
    LOG("pool: wrong output account");
    return WRONG_OUTPUT_ACCOUNT;
  }
  if (is_taken(account)) {
    LOG("pool: output already exists");
    return OUTPUT_EXISTS;
  }
  return take(m, account, program);
}
#endif

#ifdef UNITS_ASKED
static const u8 INSTRUCTIONS[32] = {
    6, 167, 213, 23, 24, 123, 209, 102, 53, 218, 212, 4, 85, 253, 194, 192,
    193, 36, 198, 143, 33, 86, 117, 165, 219, 186, 203, 95, 8, 0, 0, 0};

// What SetComputeUnitLimit of the transaction states, or 0. The sysvar: how many instructions, where each begins, and of each
// the number of accounts, 33 bytes an account, the program, the length of the data and the data; numbers have 16 bits.
OUTLINE u64 stated_units(const u8 *sysvar) {
  for (u64 i = 0; i < *(const u16 *)sysvar; i++) {
    const u8 *at = sysvar + *(const u16 *)(sysvar + 2 + 2 * i);
    // Without accounts, five bytes, the first of which is 2: no other instruction of a relay looks like that.
    if (*(const u16 *)at == 0 && *(const u16 *)(at + 34) == 5 && at[36] == 2) return *(const u32 *)(at + 37);
  }
  return 0;
}
#endif

u64 entrypoint(u8 *bytes) {
  Scratch *m = (Scratch *)HEAP;
  Input input = parse(bytes, m->accounts, 8);
#ifdef UNITS_ASKED
  input.accounts_length -= 1;
  if (input.accounts_length != ACCOUNTS || !equal32(m->accounts[ACCOUNTS].key, INSTRUCTIONS)) return WRONG_ACCOUNTS;
  if (stated_units(m->accounts[ACCOUNTS].data) < UNITS_ASKED) {
    LOG("pool: too few compute units");
    return TOO_FEW_UNITS;
  }
#else
  if (input.accounts_length != ACCOUNTS) return WRONG_ACCOUNTS;
#endif
  if (input.data_length != 1 + PROOF + WORD * SIGNALS || input.data[0] != 1) return WRONG_DATA;
  if (!m->accounts[0].is_signer || !equal32(m->accounts[ACCOUNTS - 1].key, SYSTEM_PROGRAM)) return WRONG_ACCOUNTS;

  const u8 *proof = input.data + 1, *signals = proof + PROOF;
  // Not reduced, the same value would be another nullifier, and could be spent again.
  for (u64 i = 0; i < SIGNALS; i++) {
    if (!is_less(signals + WORD * i, FIELD_ORDER)) {
      LOG("pool: a public signal is not reduced");
      return SIGNAL_NOT_REDUCED;
    }
  }
  int failed = verify(m, proof, signals);
  if (failed) {
    LOG("pool: the proof does not verify");
    return failed;
  }
  const u8 *nullifiers = signals + WORD * FIRST_NULLIFIER;
  for (u64 i = 0; i < NULLIFIERS; i++) {
    failed = spend(m, nullifiers + WORD * i, &m->accounts[1 + i], input.program);
    if (failed) return failed;
  }
#ifdef OUTPUTS
  const u8 *commitments = nullifiers + WORD * NULLIFIERS;
  for (u64 i = 0; i < COMMITMENTS; i++) {
    failed = put_out(m, commitments + WORD * i, &m->accounts[1 + NULLIFIERS + i], input.program);
    if (failed) return failed;
  }
#endif
  // The nullifiers and the commitments, for indexers of the pool.
  for (u64 i = 0; i < EVENT_FIELDS; i++) m->event[i] = (Slice){nullifiers + WORD * i, WORD};
  sol_log_data(m->event, EVENT_FIELDS);
  return 0;
}
