import { expect, it } from '@jest/globals';
import { remember, remembered } from '../../../portal/src/verification/checkpoint-memory.ts';

const kept = new Map<string, string>();
Object.assign(globalThis, {
  localStorage: {
    get length() {
      return kept.size;
    },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  },
});

it('a delayed tab does not overwrite a newer log checkpoint saved by another tab', () => {
  const seen = (size: number) => ({
    origin: 'lucarne.example/log/org_1',
    note: `A checkpoint of ${size} entries`,
    size,
    verifierKey: 'key',
    keys: [{ verifierKey: 'key' }],
    seenAt: '2026-01-01T00:00:00.000Z',
  });
  remember(seen(90));
  remember(seen(50));
  expect(remembered('org_1')).toEqual(seen(90));
  remember(seen(120));
  expect(remembered('org_1')).toEqual(seen(120));
  expect(remembered('org_2')).toBeUndefined();
});
