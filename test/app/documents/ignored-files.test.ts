import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../gateway-process.js';

const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

it.each(['.gitignore', '.dockerignore'])('%s keeps the master key out, wherever it lies', async (file) => {
  expect((await read(file)).split('\n')).toContain(file === '.gitignore' ? 'master.key' : '**/master.key');
});

it('README.md and CONTRIBUTING.md name the Node.js that the lock file installs, and the package asks for the same', async () => {
  const asked = JSON.parse(await read('package.json')) as {
    readonly engines: { readonly node: string };
    readonly devDependencies: { readonly node: string };
  };
  const [major] = asked.devDependencies.node.split('.');
  expect(asked.engines.node).toBe(`>=${major}`);
  for (const document of ['README.md', 'CONTRIBUTING.md'])
    expect(await read(document)).toContain(
      `\`npm ci\` installs ${document === 'README.md' ? '' : 'the '}Node.js ${major}`,
    );
});
