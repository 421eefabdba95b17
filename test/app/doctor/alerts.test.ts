import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { forFile } from '../../kit/for-file.js';
import { startTestApp } from '../../kit/app.js';
import { ROOT } from '../gateway-process.js';

const app = forFile(await startTestApp());
const alerts = await readFile(path.join(ROOT, 'docs/alerts.yml'), 'utf8');

describe('the alerts for operators', () => {
  it('use only metrics that the gateway has', async () => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    const declared = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
    const expressions = [...alerts.matchAll(/^ {8}expr: (.*)$/gm)].map(([, expression = '']) => expression);
    const used = expressions.flatMap((expression) => expression.match(/\blucarne_\w+/g) ?? []);
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !declared.has(name.replace(/_(count|sum|bucket)$/, '')))).toEqual([]);
  });

  it('say in one line each what happened and what to do', () => {
    const names = alerts.match(/^ {6}- alert: Lucarne\w+$/gm) ?? [];
    expect(alerts.match(/^ {10}summary: \S.*\.'?$/gm)).toHaveLength(names.length);
    expect(alerts.match(/^ {10}action: \S.*\.$/gm)).toHaveLength(names.length);
  });

  it('each link to a section of the documents that exists', async () => {
    const names = alerts.match(/^ {6}- alert: Lucarne\w+$/gm) ?? [];
    const runbooks = [...alerts.matchAll(/^ {10}runbook: (docs\/[\w-]+\.md)#([\w-]+)$/gm)];
    expect(runbooks).toHaveLength(names.length);
    for (const [, file = '', section = ''] of runbooks) {
      const text = await readFile(path.join(ROOT, file), 'utf8');
      const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
      expect(headings.map(anchorOf)).toContain(section);
    }
  });
});

/** The anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
