import { keccakP } from '@noble/hashes/sha3.js';
import { swap32IfBE } from '@noble/hashes/utils.js';

/**
 * A Merlin transcript (https://merlin.cool, v1.0): the Fiat-Shamir state of an interactive proof. It uses three operations of
 * STROBE-128 (https://strobe.sourceforge.io, v1.0.2).
 */
export class MerlinTranscript {
  readonly #strobe = new Strobe128('Merlin v1.0');

  constructor(label: string) {
    this.append('dom-sep', label);
  }

  append(label: string, message: Uint8Array | string): void {
    const bytes = bytesOf(message);
    this.#strobe.metaAssociatedData(bytesOf(label), littleEndian32(bytes.length));
    this.#strobe.associatedData(bytes);
  }

  challenge(label: string, length: number): Uint8Array {
    this.#strobe.metaAssociatedData(bytesOf(label), littleEndian32(length));
    return this.#strobe.pseudorandom(length);
  }
}

/** The number of bytes of the Keccak-f[1600] state that an operation may use at 128-bit security: 200 − 32 − 2. */
const RATE = 166;

const FLAG_INBOUND = 1;
const FLAG_APPLICATION = 2;
const FLAG_CIPHER = 4;
const FLAG_META = 16;

class Strobe128 {
  readonly #lanes = new Uint32Array(50);
  readonly #state = new Uint8Array(this.#lanes.buffer);
  #position = 0;
  #operationStart = 0;

  constructor(protocol: string) {
    this.#state.set([1, RATE + 2, 1, 0, 1, 96]);
    this.#state.set(bytesOf('STROBEv1.0.2'), 6);
    this.#permute();
    this.metaAssociatedData(bytesOf(protocol));
  }

  metaAssociatedData(...parts: readonly Uint8Array[]): void {
    this.#begin(FLAG_META | FLAG_APPLICATION);
    for (const part of parts) this.#absorb(part);
  }

  associatedData(bytes: Uint8Array): void {
    this.#begin(FLAG_APPLICATION);
    this.#absorb(bytes);
  }

  pseudorandom(length: number): Uint8Array {
    this.#begin(FLAG_INBOUND | FLAG_APPLICATION | FLAG_CIPHER);
    const output = new Uint8Array(length);
    for (let index = 0; index < length; index += 1) {
      output[index] = this.#state[this.#position]!;
      this.#state[this.#position] = 0;
      this.#advance();
    }
    return output;
  }

  #begin(flags: number): void {
    const previousStart = this.#operationStart;
    this.#operationStart = this.#position + 1;
    this.#absorb(Uint8Array.of(previousStart, flags));
    if ((flags & FLAG_CIPHER) !== 0 && this.#position !== 0) this.#endBlock();
  }

  #absorb(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#state[this.#position]! ^= byte;
      this.#advance();
    }
  }

  #advance(): void {
    this.#position += 1;
    if (this.#position === RATE) this.#endBlock();
  }

  #endBlock(): void {
    this.#state[this.#position]! ^= this.#operationStart;
    this.#state[this.#position + 1]! ^= 0x04;
    this.#state[RATE + 1]! ^= 0x80;
    this.#permute();
    this.#position = 0;
    this.#operationStart = 0;
  }

  #permute(): void {
    swap32IfBE(this.#lanes);
    keccakP(this.#lanes);
    swap32IfBE(this.#lanes);
  }
}

const encoder = new TextEncoder();
const bytesOf = (message: Uint8Array | string) =>
  typeof message === 'string' ? encoder.encode(message) : message;

function littleEndian32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
