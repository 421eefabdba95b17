// What a Solana program needs of its runtime: the serialized input, the syscalls, and moves of 32 bytes. No libc.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))

// 32 KiB, zeroed at each invocation. The stack of a function has 512 bytes only.
#define HEAP ((u8 *)0x300000000ull)

typedef struct {
  const u8 *bytes;
  u64 length;
} Slice;

typedef struct {
  const u8 *key;
  u8 is_writable, is_signer;
} Meta;

typedef struct {
  const u8 *program;
  const Meta *metas;
  u64 metas_length;
  const u8 *data;
  u64 data_length;
} Instruction;

typedef struct {
  u8 *key;
  u64 *lamports;
  u64 data_length;
  u8 *data;
  u8 *owner;
  u64 rent_epoch;
  u8 is_signer, is_writable, is_executable;
} Account;

extern u64 sol_log_(const u8 *text, u64 length);
extern u64 sol_log_data(const Slice *fields, u64 length);
extern u64 sol_memcpy_(u8 *to, const u8 *from, u64 length);
extern u64 sol_get_rent_sysvar(u8 *rent);
extern u64 sol_try_find_program_address(const Slice *seeds, u64 length, const u8 *program, u8 *key, u8 *bump);
extern u64 sol_invoke_signed_c(const Instruction *, const Account *, u64, const Slice *seeds, u64 length);
extern u64 sol_alt_bn128_group_op(u64 operation, const u8 *input, u64 length, u8 *output);

enum { BN128_ADD = 0, BN128_MULTIPLY = 2, BN128_PAIRING = 3 };

#define LOG(text) sol_log_((const u8 *)(text), sizeof(text) - 1)

// The machine reads and writes words at any address.
INLINE u64 load(const u8 *from) { return *(const u64 *)from; }
INLINE void store(u8 *to, u64 value) { *(u64 *)to = value; }

INLINE void copy32(u8 *to, const u8 *from) {
  for (u64 at = 0; at < 32; at += 8) store(to + at, load(from + at));
}

INLINE int equal32(const u8 *one, const u8 *other) {
  u64 differing = 0;
  for (u64 at = 0; at < 32; at += 8) differing |= load(one + at) ^ load(other + at);
  return !differing;
}

// Big-endian integers of 256 bits.
OUTLINE int is_less(const u8 *one, const u8 *other) {
  for (u64 at = 0; at < 32; at += 8) {
    u64 left = __builtin_bswap64(load(one + at)), right = __builtin_bswap64(load(other + at));
    if (left != right) return left < right;
  }
  return 0;
}

typedef struct {
  u64 accounts_length;
  const u8 *data;
  u64 data_length;
  const u8 *program;
} Input;

// Walks the input of an invocation. More accounts than there is room for: all ones in place of their number.
INLINE Input parse(u8 *at, Account *accounts, u64 room) {
  Input input = {load(at), 0, 0, 0};
  at += 8;
  if (input.accounts_length > room) {
    input.accounts_length = ~0ull;
    return input;
  }
  for (u64 i = 0; i < input.accounts_length; i++) {
    if (*at != 0xff) {  // the same account as an earlier one
      accounts[i] = accounts[*at];
      at += 8;
      continue;
    }
    Account *account = &accounts[i];
    account->is_signer = at[1];
    account->is_writable = at[2];
    account->is_executable = at[3];
    account->key = at + 8;
    account->owner = at + 40;
    account->lamports = (u64 *)(at + 72);
    account->data_length = load(at + 80);
    account->data = at + 88;
    // After the data come 10 KiB to grow into, padding to 8 bytes, and the rent epoch.
    at += 88 + account->data_length + 10240;
    at = (u8 *)(((u64)at + 7) & ~7ull);
    account->rent_epoch = load(at);
    at += 8;
  }
  input.data_length = load(at);
  input.data = at + 8;
  input.program = at + 8 + input.data_length;
  return input;
}
