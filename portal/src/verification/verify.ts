import { language, texts } from '../texts.ts';
import { workerUrl } from '../trusted-types';
import type { Question, Verdict } from './questions';
import address from './worker?worker&url';

const words = texts(
  { notStarted: 'The code that checks did not load. Load the page again. Nothing is known to be wrong.' },
  {
    fr: {
      notStarted: 'Ce qui vérifie n’a pas été chargé : rechargez la page. Aucune anomalie n’est connue.',
    },
  },
);

let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, { answer(verdict: Verdict): void; fail(error: Error): void }>();

/**
 * Asks the checking thread, which is started with the first question. It rejects where the thread does not start: then
 * nothing was checked, which is another thing than a check that failed.
 */
export function verify(question: Question): Promise<Verdict> {
  worker ??= start();
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
  const id = ++asked;
  waiting.set(id, { answer: resolve, fail: reject });
  worker.postMessage({ id, question });
  return promise.then(translated);
}

/** The checks name the options of the command, which a page does not have. */
const withoutOptions = (sentence: string) => sentence.replace(/ \(--\w+\)/gu, '');

/** What was found out counts in any language: where the translation does not load, it is said in English. */
async function translated(verdict: Verdict): Promise<Verdict> {
  const { inFrench } =
    language === 'fr'
      ? await import('./french-findings').catch(() => ({ inFrench: (text: string) => text }))
      : { inFrench: (text: string) => text };
  const told = (sentence: string) => withoutOptions(inFrench(sentence));
  return {
    ...verdict,
    findings: verdict.findings.map((finding) => ({ ...finding, detail: told(finding.detail) })),
    unverified: verdict.unverified.map(told),
  };
}

function start(): Worker {
  const started = new Worker(workerUrl(address), { type: 'module', name: 'lucarne-verification' });
  started.addEventListener('message', ({ data }: MessageEvent<{ id: number; verdict: Verdict }>) => {
    waiting.get(data.id)?.answer(data.verdict);
    waiting.delete(data.id);
  });
  started.addEventListener('error', () => {
    // The next question starts another one.
    worker = undefined;
    for (const { fail } of waiting.values()) fail(new Error(words.notStarted));
    waiting.clear();
  });
  return started;
}
