/**
 * A Solana program (ELF, sBPF version 3) that calls another one: it forwards its accounts with their signatures and its data to
 * the program that is its last account. With it, a local ledger can execute instructions inside cross-program calls, which an
 * indexer must also find.
 */
export function forwarderProgram(): Uint8Array {
  // r6 walks through the serialized accounts, r7 through the metas and r8 through the account infos being built; r9 and r3
  // count.
  const start = Buffer.concat([
    loadWord(9, 1, 0),
    move(6, 1),
    add(6, 8),
    loadConstant(7, METAS),
    loadConstant(8, INFOS),
    move(3, 9),
  ]);
  const account = Buffer.concat([
    ...pointer(8, 0, 8),
    storeWord(7, 0, 5),
    loadByte(4, 6, 1),
    storeByte(7, 9, 4),
    storeByte(8, 48, 4),
    loadByte(4, 6, 2),
    storeByte(7, 8, 4),
    storeByte(8, 49, 4),
    loadByte(4, 6, 3),
    storeByte(8, 50, 4),
    ...pointer(8, 8, 72),
    loadWord(4, 6, 80),
    storeWord(8, 16, 4),
    ...pointer(8, 24, 88),
    ...pointer(8, 32, 40),
    // The data of an account are followed by 10 KiB to grow, padding to 8 bytes, and the rent epoch.
    addRegister(6, 4),
    add(6, 88 + 10_240 + 7),
    and(6, -8),
    loadWord(4, 6, 0),
    storeWord(8, 40, 4),
    add(6, 8),
    add(7, 16),
    add(8, 56),
    add(3, -1),
  ]);
  // The instruction is {program, metas, their number, data, its length}.
  const invoke = Buffer.concat([
    loadConstant(1, INSTRUCTION),
    loadWord(4, 8, -56),
    storeWord(1, 0, 4),
    loadConstant(4, METAS),
    storeWord(1, 8, 4),
    move(3, 9),
    add(9, -1),
    storeWord(1, 16, 9),
    loadWord(4, 6, 0),
    storeWord(1, 32, 4),
    add(6, 8),
    storeWord(1, 24, 6),
    loadConstant(2, INFOS),
    moveConstant(4, 0),
    moveConstant(5, 0),
    call('sol_invoke_signed_c'),
    exit(),
  ]);
  return programFile(
    Buffer.concat([
      start,
      jumpIfEqual(3, 0, slots(account) + 3),
      loadByte(4, 6, 0),
      // A repeated account is only a reference, which this program does not follow.
      jumpIfNotEqual(4, 0xff, slots(account) + 1 + slots(invoke)),
      account,
      jump(-(slots(account) + 4)),
      invoke,
      moveConstant(0, 1),
      exit(),
    ]),
  );
}

// Positions on the heap, which is zeroed at the start of every call.
const METAS = 0x300000000n;
const INSTRUCTION = 0x300000800n;
const INFOS = 0x300001000n;

/** Jumps count slots of 8 bytes from the next instruction on. */
const slots = (code: Buffer) => code.length / 8;

const loadWord = (to: number, from: number, offset: number) => encode(0x79, to, from, offset);
const loadByte = (to: number, from: number, offset: number) => encode(0x71, to, from, offset);
const storeWord = (to: number, offset: number, from: number) => encode(0x7b, to, from, offset);
const storeByte = (to: number, offset: number, from: number) => encode(0x73, to, from, offset);
const move = (to: number, from: number) => encode(0xbf, to, from);
const moveConstant = (to: number, value: number) => encode(0xb7, to, 0, 0, value);
const add = (to: number, value: number) => encode(0x07, to, 0, 0, value);
const addRegister = (to: number, from: number) => encode(0x0f, to, from);
const and = (to: number, value: number) => encode(0x57, to, 0, 0, value);
const jump = (offset: number) => encode(0x05, 0, 0, offset);
const jumpIfEqual = (left: number, value: number, offset: number) => encode(0x15, left, 0, offset, value);
const jumpIfNotEqual = (left: number, value: number, offset: number) => encode(0x55, left, 0, offset, value);
const call = (name: string) => encode(0x85, 0, 0, 0, murmur3(Buffer.from(name)));
const exit = () => encode(0x95);

/** Stores at `[info + offset]` the address of the value at `inputOffset` bytes in the current account. */
const pointer = (info: number, offset: number, inputOffset: number) => [
  move(5, 6),
  add(5, inputOffset),
  storeWord(info, offset, 5),
];

function loadConstant(to: number, value: bigint): Buffer {
  const high = Number(value >> 32n);
  return Buffer.concat([encode(0x18, to, 0, 0, Number(value & 0xffffffffn)), encode(0, 0, 0, 0, high)]);
}

function encode(operation: number, to = 0, from = 0, offset = 0, value = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes[0] = operation;
  bytes[1] = (from << 4) | to;
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(value | 0, 4);
  return bytes;
}

// SIMD-0189: an ELF header and two segments, read-only data at address 0 and code at 2^32.
function programFile(text: Buffer): Uint8Array {
  const headers = Buffer.alloc(176);
  const readOnly = Buffer.alloc(8);
  headers.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  headers.writeUInt16LE(3, 16);
  headers.writeUInt16LE(247, 18);
  headers.writeUInt32LE(1, 20);
  headers.writeBigUInt64LE(1n << 32n, 24);
  headers.writeBigUInt64LE(64n, 32);
  headers.writeUInt32LE(3, 48);
  headers.writeUInt16LE(64, 52);
  headers.writeUInt16LE(56, 54);
  headers.writeUInt16LE(2, 56);
  segment(headers, 64, { flags: 4, offset: 176, address: 0n, length: readOnly.length });
  segment(headers, 120, { flags: 1, offset: 176 + readOnly.length, address: 1n << 32n, length: text.length });
  return new Uint8Array(Buffer.concat([headers, readOnly, text]));
}

function segment(
  headers: Buffer,
  at: number,
  { flags, offset, address, length }: { flags: number; offset: number; address: bigint; length: number },
): void {
  headers.writeUInt32LE(1, at);
  headers.writeUInt32LE(flags, at + 4);
  const words = [BigInt(offset), address, address, BigInt(length), BigInt(length), 8n];
  words.forEach((word, index) => headers.writeBigUInt64LE(word, at + 8 + 8 * index));
}

// A system call is identified by the 32-bit MurmurHash3 of its name (SIMD-0178).
function murmur3(bytes: Uint8Array): number {
  const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by));
  const scramble = (block: number) => Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
  const whole = bytes.length - (bytes.length % 4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let hash = 0;
  for (let index = 0; index < whole; index += 4) {
    hash = (Math.imul(rotate(hash ^ scramble(view.getUint32(index, true)), 13), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let index = bytes.length - 1; index >= whole; index -= 1) tail = (tail << 8) | bytes[index]!;
  if (whole < bytes.length) hash ^= scramble(tail);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
