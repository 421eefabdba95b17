// Links one object of `clang -target bpf` into a Solana program: ELF, sBPF version 3 (SIMD-0178, SIMD-0189). Two
// segments: constants at address 0, code at 1 << 32; a syscall is called by the hash of its name.

const SECTION = {
  alloc: 2,
  executable: 4,
  writable: 1,
  noBits: 8,
  symbols: 2,
  relocations: 9,
  withAddend: 4,
};
const RELOCATION = { address64: 1, data64: 2, call: 10, none: 4 };
const CODE_ADDRESS = 2 ** 32;
const HEADERS = 64 + 2 * 56;

const align = (position, to) => Math.ceil(position / to) * to;

/** The program as bytes. Throws if the object contains something that the runtime would refuse or execute incorrectly. */
export function link(object, entry = 'entrypoint') {
  const { sections, symbols, relocations } = readObject(object);
  const live = sections.filter(({ flags, size }) => flags & SECTION.alloc && size > 0);
  const writable = live.find(({ flags, type }) => flags & SECTION.writable || type === SECTION.noBits);
  if (writable) throw new Error(`${writable.name}: a program cannot have variables`);
  const code = live.filter(({ flags }) => flags & SECTION.executable);
  const constants = live.filter((section) => !code.includes(section));

  // Eight bytes stay free, so that no constant is at address 0.
  const constantsLength = place(constants, 8);
  const codeLength = place(code, 0);
  const codeOffset = HEADERS + constantsLength;
  for (const section of constants)
    Object.assign(section, { address: section.at, offset: HEADERS + section.at });
  for (const section of code)
    Object.assign(section, { address: CODE_ADDRESS + section.at, offset: codeOffset + section.at });

  const output = Buffer.alloc(codeOffset + codeLength);
  for (const { offset, start, size } of live) object.copy(output, offset, start, start + size);
  const addressOf = (symbol) => {
    const section = live.find(({ index }) => index === symbol.section);
    if (!section) throw new Error(`${symbol.name || 'A symbol'} has no place`);
    return section.address + symbol.value;
  };
  for (const relocation of relocations) {
    const section = live.find(({ index }) => index === relocation.section);
    if (section) relocate(output, section, relocation, symbols[relocation.symbol], addressOf);
  }
  checkCode(output, codeOffset, codeLength);

  const start = symbols.find(
    ({ name, section }) => name === entry && code.some(({ index }) => index === section),
  );
  if (!start) throw new Error(`There is no function ${entry}`);
  writeHeaders(output, addressOf(start), [
    { flags: 4, offset: HEADERS, address: 0, size: constantsLength },
    { flags: 1, offset: codeOffset, address: CODE_ADDRESS, size: codeLength },
  ]);
  return output;
}

function readObject(object) {
  const number = (offset) => Number(object.readBigUInt64LE(offset));
  if (
    object.readUInt32LE(0) !== 0x464c457f ||
    object.readUInt16LE(16) !== 1 ||
    object.readUInt16LE(18) !== 247
  )
    throw new Error('This is not an object of clang -target bpf');
  const text = (offset) => object.toString('latin1', offset, object.indexOf(0, offset));
  const table = number(40);
  const sections = Array.from({ length: object.readUInt16LE(60) }, (_, index) => {
    const at = table + 64 * index;
    return {
      index,
      nameAt: object.readUInt32LE(at),
      type: object.readUInt32LE(at + 4),
      flags: number(at + 8),
      start: number(at + 24),
      size: number(at + 32),
      link: object.readUInt32LE(at + 40),
      info: object.readUInt32LE(at + 44),
      alignment: number(at + 48) || 1,
    };
  });
  const names = sections[object.readUInt16LE(62)].start;
  for (const section of sections) section.name = text(names + section.nameAt);

  const list = sections.find(({ type }) => type === SECTION.symbols);
  const symbols = Array.from({ length: list.size / 24 }, (_, index) => {
    const at = list.start + 24 * index;
    return {
      name: text(sections[list.link].start + object.readUInt32LE(at)),
      section: object.readUInt16LE(at + 6),
      value: number(at + 8),
    };
  });
  const relocations = [];
  for (const { type, start, size, info, name } of sections) {
    if (type === SECTION.withAddend) throw new Error(`${name}: relocations with addends are not read`);
    if (type !== SECTION.relocations) continue;
    for (let at = start; at < start + size; at += 16) {
      relocations.push({
        section: info,
        offset: number(at),
        type: object.readUInt32LE(at + 8),
        symbol: object.readUInt32LE(at + 12),
      });
    }
  }
  return { sections, symbols, relocations };
}

/** Places the sections one after another from `from`. Returns their total length. */
function place(sections, from) {
  let position = from;
  for (const section of sections) {
    section.at = align(position, Math.max(8, section.alignment));
    position = section.at + section.size;
  }
  return align(position, 8);
}

function relocate(output, section, { offset, type }, symbol, addressOf) {
  const at = section.offset + offset;
  const isCode = Boolean(section.flags & SECTION.executable);
  if (isCode && type === RELOCATION.call && symbol.section === 0) {
    if (!/^sol_\w+$/.test(symbol.name))
      throw new Error(`${symbol.name} is no syscall: nothing else is linked`);
    output[at + 1] &= 0x0f;
    output.writeUInt32LE(murmur3(Buffer.from(symbol.name)), at + 4);
  } else if (isCode && type === RELOCATION.call) {
    const target = addressOf(symbol) + (output.readInt32LE(at + 4) + 1) * 8;
    output[at + 1] = 0x10;
    output.writeInt32LE((target - (section.address + offset)) / 8 - 1, at + 4);
  } else if (isCode && type === RELOCATION.address64) {
    const address = addressOf(symbol) + output.readInt32LE(at + 4);
    output.writeUInt32LE(address % 2 ** 32, at + 4);
    output.writeUInt32LE(Math.floor(address / 2 ** 32), at + 12);
  } else if (!isCode && type === RELOCATION.data64) {
    output.writeBigUInt64LE(BigInt(addressOf(symbol)) + output.readBigInt64LE(at), at);
  } else if (type !== RELOCATION.none) {
    throw new Error(`${section.name}: a relocation of type ${type} is not known`);
  }
}

/** Refuses code that passes the machine's check but would not run as the compiler intended. */
function checkCode(output, offset, length) {
  for (let at = offset; at < offset + length; at += 8) {
    const opcode = output[at];
    if (opcode === 0x18) {
      at += 8;
      continue;
    }
    const kind = opcode & 7;
    const where = `instruction ${(at - offset) / 8}`;
    // The machine sign-extends 32-bit sums, differences and products, where clang clears the upper half.
    if (kind === 4 && [0x00, 0x10, 0x20].includes(opcode & 0xf0))
      throw new Error(`${where}: 32-bit arithmetic; compile with -mcpu=v2`);
    if ((kind === 1 || kind === 3) && opcode >> 5 !== 3)
      throw new Error(`${where}: an atomic or sign-extending access; compile with -mcpu=v2`);
    // A call through a register: clang 14 encodes the register in another field than the machine reads.
    if (opcode === 0x8d) throw new Error(`${where}: a call of a function pointer`);
    if (opcode === 0x85 && output.readInt32LE(at + 4) === -1) throw new Error(`${where}: a call of nothing`);
  }
}

function writeHeaders(output, entry, segments) {
  output.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  output.writeUInt16LE(3, 16);
  output.writeUInt16LE(247, 18);
  output.writeUInt32LE(1, 20);
  output.writeBigUInt64LE(BigInt(entry), 24);
  output.writeBigUInt64LE(64n, 32);
  output.writeUInt32LE(3, 48);
  output.writeUInt16LE(64, 52);
  output.writeUInt16LE(56, 54);
  output.writeUInt16LE(segments.length, 56);
  output.writeUInt16LE(64, 58);
  segments.forEach(({ flags, offset, address, size }, index) => {
    const at = 64 + 56 * index;
    output.writeUInt32LE(1, at);
    output.writeUInt32LE(flags, at + 4);
    [offset, address, address, size, size, 8].forEach((value, field) =>
      output.writeBigUInt64LE(BigInt(value), at + 8 + 8 * field),
    );
  });
}

/** MurmurHash3 with 32 bits and seed 0, which is how the machine names a syscall. */
function murmur3(bytes) {
  const rotate = (value, by) => (value << by) | (value >>> (32 - by));
  const mix = (block) => Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
  const whole = bytes.length - (bytes.length % 4);
  let hash = 0;
  for (let at = 0; at < whole; at += 4)
    hash = (Math.imul(rotate(hash ^ mix(bytes.readInt32LE(at)), 13), 5) + 0xe6546b64) | 0;
  let rest = 0;
  for (let at = bytes.length - 1; at >= whole; at -= 1) rest = (rest << 8) | bytes[at];
  if (whole < bytes.length) hash ^= mix(rest);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
