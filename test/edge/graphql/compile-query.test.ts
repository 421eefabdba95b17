import { readFileSync } from 'node:fs';
import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { compileClientQuery } from '../../../src/edge/graphql/compile-query.js';

const MIB = 1024 * 1024;
const DOCUMENTS = 200;
const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'));
v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

/** A document within all limits that differs from every other one. */
const documentOf = (index: number) => {
  const listing = (alias: number) =>
    `a${alias}x${index}: assets(first: 1) { nodes { id name symbol decimals status createdAt updatedAt } }`;
  return parse(`{ ${Array.from({ length: 20 }, (_, alias) => listing(alias)).join(' ')} }`);
};

async function heapBytes(): Promise<number> {
  for (let times = 0; times < 8; times += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

describe('compiled client queries', () => {
  it('use no memory after they are dropped', async () => {
    expect(compileClientQuery(schema, documentOf(DOCUMENTS), undefined)).toBeDefined();
    const before = await heapBytes();
    for (let index = 0; index < DOCUMENTS; index += 1)
      compileClientQuery(schema, documentOf(index), undefined);
    // With V8's compilation cache, each of them would leave a quarter of a MiB.
    expect((await heapBytes()) - before).toBeLessThan(10 * MIB);
  }, 480_000);
});
