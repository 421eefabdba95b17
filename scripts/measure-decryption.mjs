// How fast auditor ciphertexts are decrypted on one core, and whether rightly: the kernel in WebAssembly beside that in
// JavaScript and @solana/zk-sdk.
//   npm run build && npx node scripts/measure-decryption.mjs [amounts] [rounds]
// It can run beside other work: a round counts the time that the thread was at work, and of five times that one amount
// took, which are too short for that, the least counts.
// Half of the amounts are uniform below 2^48, half log-uniform; zk-sdk encrypts them all. Both kernels decrypt every one.
// zk-sdk, at a third of a second for each, decrypts those of the rounds. A round times all three, one after the other:
// what is compared has had the same machine, and the median round counts.
import { ElGamalKeypair } from '@solana/zk-sdk/node';
import { randomBytes, randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

const [amounts = '10000', rounds = '15'] = process.argv.slice(2);
const dist = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
const { createAmountKernel, createWasmAmountKernel, generateElGamalKeypair } = await dist('crypto/index.js');

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const keypair = new ElGamalKeypair();
const secret = keypair.secret();
const secretBytes = secret.toBytes();
const otherSecret = generateElGamalKeypair().secret;

let wasm;
const openMilliseconds = timed(() => (wasm = createWasmAmountKernel()));
const javaScript = createAmountKernel();
print({ openMilliseconds: round(openMilliseconds) });

const kinds = { uniform, logUniform };
const cases = Object.fromEntries(
  Object.entries(kinds).map(([kind, draw]) => [
    kind,
    Array.from({ length: Number(amounts) / 2 }, () => encrypted(draw())),
  ]),
);

for (const [kind, list] of Object.entries(cases)) {
  const answers = wasm.decrypt(
    secretBytes,
    list.map(({ split }) => split),
  );
  answers.forEach((answer, index) => expectAmount('WebAssembly', answer, list[index].value));
  print({ kind, amounts: list.length, kernel: 'WebAssembly', wrong: 0 });
  const times = list.slice(0, 1_000).map(({ split }) => least(() => wasm.decrypt(secretBytes, [split])));
  print({ kind, kernel: 'WebAssembly', ...quantiles(times) });
}

const some = cases.uniform.slice(0, 1_000).map(({ split }) => split);
const wrongKey = some.map((split) => least(() => expectNone(wasm.decrypt(otherSecret, [split]))));
print({ kind: 'under another key', kernel: 'WebAssembly', ...quantiles(wrongKey) });
const beyond = some.map((split) => {
  const hi = keypair.pubkey().encryptU64(2n ** 32n + BigInt(randomInt(2 ** 32)));
  const out = { ...split, hi: hi.toBytes() };
  return least(() => expectNone(wasm.decrypt(secretBytes, [out])));
});
print({ kind: 'out of range, the longest search', kernel: 'WebAssembly', ...quantiles(beyond) });

const uniformSplits = cases.uniform.map(({ split }) => split);
const ratios = [];
for (let index = 0; index < Number(rounds); index += 1) {
  const from = (index * 200) % Math.max(1, uniformSplits.length - 200);
  const many = uniformSplits.slice(from, from + 200);
  const one = cases[index % 2 === 0 ? 'uniform' : 'logUniform'][index];
  const fast = timed(() => wasm.decrypt(secretBytes, many)) / many.length;
  const slow = timed(() => javaScript.decrypt(secretBytes, many.slice(0, 10))) / 10;
  const zkSdk = timed(() => {
    const value = secret.decrypt(one.lo) + (secret.decrypt(one.hi) << 16n);
    if (value !== one.value) throw new Error(`zk-sdk decrypted ${value}, not ${one.value}.`);
  });
  const again = timed(() => wasm.decrypt(secretBytes, many)) / many.length;
  const mean = (fast + again) / 2;
  ratios.push({
    perSecond: 1000 / mean,
    toJavaScript: slow / mean,
    toZkSdk: zkSdk / mean,
    zkSdkPerSecond: 1000 / zkSdk,
  });
}
print({
  rounds: ratios.length,
  of: 'uniform amounts; medians of the rounds',
  perSecond: round(median(ratios.map(({ perSecond }) => perSecond))),
  bestPerSecond: round(Math.max(...ratios.map(({ perSecond }) => perSecond))),
  timesJavaScript: round(median(ratios.map(({ toJavaScript }) => toJavaScript))),
  timesZkSdk: round(median(ratios.map(({ toZkSdk }) => toZkSdk))),
  zkSdkPerSecond: round(median(ratios.map(({ zkSdkPerSecond }) => zkSdkPerSecond))),
});

for (const [kind, list] of Object.entries(cases)) {
  const answers = javaScript.decrypt(
    secretBytes,
    list.map(({ split }) => split),
  );
  answers.forEach((answer, index) => expectAmount('JavaScript', answer, list[index].value));
  print({ kind, amounts: list.length, kernel: 'JavaScript', wrong: 0 });
}

function uniform() {
  return BigInt(`0x${randomBytes(6).toString('hex')}`);
}

/** Each length in bits as often as another. */
function logUniform() {
  const bits = BigInt(randomInt(48));
  return 2n ** bits + (uniform() & (2n ** bits - 1n));
}

function encrypted(value) {
  const [lo, hi] = [value & 0xffffn, value >> 16n].map((part) => keypair.pubkey().encryptU64(part));
  return { value, lo, hi, split: { loBits: 16, hiBits: 32, lo: lo.toBytes(), hi: hi.toBytes() } };
}

function expectAmount(kernel, answer, value) {
  if (answer.kind !== 'amount' || answer.value !== value)
    throw new Error(`${kernel} did not decrypt ${value}.`);
}

function expectNone([answer]) {
  if (answer.kind !== 'undecryptable') throw new Error('What has no amount was decrypted.');
}

/** The milliseconds by the clock, the least of five. */
function least(work) {
  let milliseconds = Infinity;
  for (let time = 0; time < 5; time += 1) {
    const began = performance.now();
    work();
    milliseconds = Math.min(milliseconds, performance.now() - began);
  }
  return milliseconds;
}

/** The milliseconds that this thread was at work. Unlike a clock's, they leave out what other processes had the core for. */
function timed(work) {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}

function quantiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
  const mean = sorted.reduce((sum, time) => sum + time, 0) / sorted.length;
  return { meanMs: round(mean), p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}
