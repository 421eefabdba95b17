import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { valuesOf } from '../../../portal/src/design/form-values.ts';

it('a form reads a password exactly as typed, and other text without surrounding spaces', () => {
  const data = new FormData();
  data.set('email', ' ada@example.com ');
  data.set('password', ' two words ');
  const values = valuesOf(data);
  expect([values.text('email'), values.password('password')]).toEqual(['ada@example.com', ' two words ']);
});

it('every screen reads passwords as passwords', () => {
  const screens = path.resolve(import.meta.dirname, '../../../portal/src/screens');
  const found = readdirSync(screens, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx'))
    .filter((file) => /\.text\('\w*password'\)/i.test(readFileSync(path.join(screens, file), 'utf8')));
  expect(found).toEqual([]);
});
