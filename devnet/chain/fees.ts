import type { WireMessage } from './wire-transaction.js';

const LAMPORTS_PER_SIGNATURE = 5000;

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const SIGNATURE_PROGRAMS = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);
const DEFAULT_UNITS_PER_INSTRUCTION = 200_000;
const MAX_UNITS = 1_400_000;

/** What a message will cost, in lamports: 5,000 a signature and the priority fee it offers. */
export function feeForMessage(message: WireMessage): number {
  const { signatures, price, units } = offerOf(message);
  // The price is in millionths of a lamport for each compute unit, rounded up.
  const priority = Number((price * BigInt(units) + 999_999n) / 1_000_000n);
  return signatures * LAMPORTS_PER_SIGNATURE + priority + (message.config?.priorityFee ?? 0);
}

/** What a message offers for each compute unit, in micro-lamports. */
export function computeUnitPrice(message: WireMessage): number {
  const { price, units } = offerOf(message);
  const whole = message.config?.priorityFee ?? 0;
  return whole === 0 ? Number(price) : Math.floor((whole * 1_000_000) / (units || 1));
}

function offerOf(message: WireMessage) {
  let signatures = message.header.numRequiredSignatures;
  let price = 0n;
  let limit = message.config?.computeUnitLimit ?? undefined;
  let programs = 0;
  for (const { programIdIndex, data } of message.instructions) {
    const program = message.accountKeys[programIdIndex] ?? '';
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (SIGNATURE_PROGRAMS.has(program)) signatures += data[0] ?? 0;
    if (program !== COMPUTE_BUDGET) programs += 1;
    else if (data[0] === 2 && data.length >= 5) limit = view.getUint32(1, true);
    else if (data[0] === 3 && data.length >= 9) price = view.getBigUint64(1, true);
  }
  const units = Math.min(limit ?? programs * DEFAULT_UNITS_PER_INSTRUCTION, MAX_UNITS);
  return { signatures, price, units };
}
