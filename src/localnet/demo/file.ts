import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { DemoFile } from './organization.js';

const user = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  password: Type.String(),
  role: Type.Union([Type.Literal('owner'), Type.Literal('administrator'), Type.Literal('auditor')]),
});

const organization = {
  organization: Type.Object({ id: Type.String(), name: Type.String() }),
  apiKey: Type.String(),
  applications: Type.Array(
    Type.Object({ foreignId: Type.String(), name: Type.String(), checkApplicationId: Type.String() }),
  ),
  users: Type.Array(user),
};

const DemoFileSchema = Type.Object({
  ...organization,
  baseUrl: Type.String(),
  ledger: Type.Object({ rpcUrl: Type.String(), wsUrl: Type.String() }),
  relayer: Type.Object({ address: Type.String(), pools: Type.Array(Type.String()) }),
  other: Type.Object(organization),
});

/** `demo.json` as it was read, or `undefined` when it is not one. */
export function parseDemoFile(value: unknown): DemoFile | undefined {
  return Value.Check(DemoFileSchema, value) ? value : undefined;
}

/** Writes `demo.json`, readable by its owner only, whole or not at all. */
export async function writeDemoFile(dataDirectory: string, demo: DemoFile): Promise<string> {
  const file = demoFileOf(dataDirectory);
  // One name for all: what a killed start left is overwritten by the next.
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await chmod(unfinished, 0o600);
  await rename(unfinished, file);
  return file;
}

/**
 * Says in `demo.json` where the gateway, its ledger and its relayer are now: each can be another than at the first start.
 * `undefined` when the file is not there, which holds for every instance but the one that made the organizations.
 */
export async function readdressDemoFile(
  dataDirectory: string,
  addresses: Pick<DemoFile, 'baseUrl' | 'ledger' | 'relayer'>,
): Promise<string | undefined> {
  let stored: object;
  try {
    stored = JSON.parse(await readFile(demoFileOf(dataDirectory), 'utf8')) as object;
  } catch {
    return undefined;
  }
  const demo = parseDemoFile({ ...stored, ...addresses });
  return demo && writeDemoFile(dataDirectory, demo);
}

const demoFileOf = (dataDirectory: string) => path.join(dataDirectory, 'demo.json');
