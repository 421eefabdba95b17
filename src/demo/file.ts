import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { ConfigurationError } from '../platform/kernel/configuration-error.js';
import { replaceFile } from '../platform/kernel/whole-file.js';
import type { DemoAccount } from '../domain/organizations/index.js';
import type { DemoFile } from './organization.js';
import { attempt } from '../platform/kernel/encoding/attempt.js';

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

/** The content of `demo.json`, or `undefined` if the value is not one. */
export function parseDemoFile(value: unknown): DemoFile | undefined {
  return Value.Check(DemoFileSchema, value) ? value : undefined;
}

/** The users of both organizations, for the sign-in page of the embedded demo. */
export async function demoAccountsOf(file: string): Promise<DemoAccount[]> {
  const demo = parseDemoFile(JSON.parse(await readFile(file, 'utf8')));
  return (demo ? [demo, demo.other] : []).flatMap(({ organization: { name: organization }, users }) =>
    users.map(({ id, name, role, email, password }) => ({ id, name, role, organization, email, password })),
  );
}

/** Writes `demo.json` atomically, readable only by its owner. */
export function writeDemoFile(dataDirectory: string, demo: DemoFile): string {
  const file = demoFileOf(dataDirectory);
  replaceFile(file, `${JSON.stringify(demo, null, 2)}\n`);
  return file;
}

/**
 * Updates the addresses of the gateway, the ledger and the relayer in `demo.json`, which can change between starts.
 * Resolves to `undefined` without the file: only the instance that created the organizations has it.
 */
export async function readdressDemoFile(
  dataDirectory: string,
  addresses: Pick<DemoFile, 'baseUrl' | 'ledger' | 'relayer'>,
): Promise<string | undefined> {
  const file = demoFileOf(dataDirectory);
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  const stored: unknown = attempt(() => JSON.parse(text) as unknown);
  const demo = typeof stored === 'object' ? parseDemoFile({ ...stored, ...addresses }) : undefined;
  if (!demo) {
    throw new ConfigurationError(
      `${file} is not a valid demo.json. Restore it, or delete it. Without it, the passwords of the demo are lost.`,
    );
  }
  return writeDemoFile(dataDirectory, demo);
}

/** The text of a file; `undefined` if there is none. */
async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ConfigurationError(
      `${file} cannot be read (${code ?? 'unknown'}). Let the user that runs Lucarne read and write it.`,
      { cause: thrown },
    );
  }
}

const demoFileOf = (dataDirectory: string) => path.join(dataDirectory, 'demo.json');
