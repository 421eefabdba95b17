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
interface Asked {
  readonly id: number;
  readonly question: Question;
}
const waiting = new Map<number, { answer(verdict: Verdict): void; fail(error: Error): void }>();

/** Rows that are scrolled past quickly are not checked, and visible ones are sent to the worker as one message. */
const GATHERED_MS = 60;
let gathered: (Asked & { readonly signal: AbortSignal })[] = [];

function send(questions: readonly Asked[]): void {
  if (questions.length === 0) return;
  worker ??= start();
  worker.postMessage(questions);
}

function sendGathered(): void {
  const questions = gathered;
  gathered = [];
  for (const { id } of questions.filter(({ signal }) => signal.aborted)) waiting.delete(id);
  send(questions.flatMap(({ id, question, signal }) => (signal.aborted ? [] : [{ id, question }])));
}

/**
 * Asks the checking thread, which is started with the first question. It rejects where the thread does not start: then
 * nothing was checked, which is another thing than a check that failed. With a signal the question can be withdrawn, and then
 * is not answered: it waits a moment for others, which are asked with it.
 */
export function verify(question: Question, signal?: AbortSignal): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
  const id = ++asked;
  waiting.set(id, { answer: resolve, fail: reject });
  if (signal) {
    if (gathered.length === 0) setTimeout(sendGathered, GATHERED_MS);
    gathered.push({ id, question, signal });
  } else send([{ id, question }]);
  return promise.then(translated);
}

/** The checks name the options of the command, which a page does not have. */
const withoutOptions = (sentence: string) => sentence.replace(/ \(--\w+\)/gu, '');

/** The result counts in any language: if the translation does not load, it is shown in English. */
async function translated(verdict: Verdict): Promise<Verdict> {
  const { inFrench } =
    language === 'fr'
      ? await import('./french-findings').catch(() => ({ inFrench: (text: string) => text }))
      : { inFrench: (text: string) => text };
  const translated = (sentence: string) => withoutOptions(inFrench(sentence));
  return {
    ...verdict,
    checkedAt: Date.now(),
    findings: verdict.findings.map((finding) => ({ ...finding, detail: translated(finding.detail) })),
    unverified: verdict.unverified.map(translated),
  };
}

function start(): Worker {
  const started = new Worker(workerUrl(address), { type: 'module', name: 'lucarne-verification' });
  started.addEventListener(
    'message',
    ({ data }: MessageEvent<readonly { id: number; verdict: Verdict }[]>) => {
      for (const { id, verdict } of data) {
        waiting.get(id)?.answer(verdict);
        waiting.delete(id);
      }
    },
  );
  started.addEventListener('error', () => {
    // The next question starts another one.
    worker = undefined;
    gathered = [];
    for (const { fail } of waiting.values()) fail(new Error(words.notStarted));
    waiting.clear();
  });
  return started;
}
