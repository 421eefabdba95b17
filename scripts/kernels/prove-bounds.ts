// The second half of the proof in docs/proof-kernel.md: runs a build of the proof kernel that traps at an operation whose
// bounds are not proven for its operands. Then runs builds without single reductions, each of which must trap.
import { bn254 } from '@noble/curves/bn254.js';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  bytesOfG1,
  bytesOfG2,
  createWasmProofVerifier,
  parseVerificationKey,
} from '#lucarne/platform/crypto/index.js';
import { trapdoorCircuit } from '#devnet/index.js';
import { compile, folderOf } from './compile.ts';
import { proofKernel } from './kernels.ts';

const circuit = trapdoorCircuit('bounds', 2);
const key = parseVerificationKey(circuit.verificationKey);
const good = [1, 2, 3, 4, 5].map((at) => {
  const signals = [BigInt(at), 7n];
  return { signals, proof: circuit.prove(signals, `bounds ${at}`) };
});
const { G1, G2, fields } = bn254;
/** A point of the twist outside of the subgroup. Almost no point inside has such a small x. */
function outside(): Buffer {
  const { Fp2 } = fields;
  for (let real = 1n; ; real += 1n) {
    const x = Fp2.fromBigTuple([real, 0n]);
    try {
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.Point.CURVE().b));
      return bytesOfG2(G2.Point.fromAffine({ x, y }));
    } catch {
      // x³ + b has no root: try the next x.
    }
  }
}
const bad = { ...good[0]!, signals: [9n, 9n] };
/** Its C is not a point. */
const none = { ...good[0]!, proof: good[0]!.proof.with(255, good[0]!.proof[255]! ^ 1) };

/** Runs every branch that leads to other operations: even and odd sizes, halves of a batch, invalid points. */
function run(bytes: Uint8Array): void {
  const verifier = createWasmProofVerifier(key, { bytes });
  const strange = { ...good[0]!, proof: Uint8Array.from(good[0]!.proof) };
  strange.proof.set(outside(), 64);
  for (const batch of [
    good.slice(0, 1),
    good.slice(0, 2),
    good.slice(0, 3),
    good,
    [...good, bad, none],
    [strange, ...good],
  ]) {
    const verdicts = verifier.verifyAll(batch);
    if (verdicts.some((holds, at) => holds !== good.includes(batch[at]!)))
      throw new Error('A wrong verdict.');
  }
  // IC0 + 1·IC1 is the point at infinity, and A = 2P = α + C.
  const [P, Q] = [G1.Point.BASE, G2.Point.BASE];
  const points = { alpha: P, beta: Q, gamma: Q, delta: Q, ic: [P, P.negate()] };
  const proof = Buffer.concat([bytesOfG1(P.double()), bytesOfG2(Q), bytesOfG1(P)]);
  const [holds] = createWasmProofVerifier(points, { bytes }).verifyAll([{ proof, signals: [1n] }]);
  if (!holds) throw new Error('A wrong verdict at infinity.');
}

const checked = proofKernel({ checked: true });
run(await compile(checked, 1));
console.log('Every operation is proven for its operands.');

/** A file, a reduction in it, and its replacement. */
const LEFT_OUT: readonly (readonly [string, string, string])[] = [
  ['lines.ts', 'normalize(third, third);', ''],
  ['multiples.ts', 'subtract(t, t, u); normalize(X, t);', 'subtract(X, t, u);'],
  ['tower.ts', 'normalize(out, out);', ''],
];
for (const [file, reduction, without] of LEFT_OUT) {
  const source = readFileSync(path.join(folderOf(checked.name), 'assembly', file), 'utf8');
  if (!source.includes(reduction)) throw new Error(`${file} has no “${reduction}”.`);
  const generated = { ...checked.generated, [file]: source.replace(reduction, without) };
  const bytes = await compile({ ...checked, generated }, 1);
  let stopped: unknown;
  try {
    run(bytes);
  } catch (error) {
    stopped = error;
  }
  if (!(stopped instanceof Error) || stopped.message !== 'unreachable')
    throw new Error(`Without “${reduction}” of ${file} the kernel is not stopped.`, { cause: stopped });
  console.log(`Without “${reduction}” of ${file} it stops.`);
}
