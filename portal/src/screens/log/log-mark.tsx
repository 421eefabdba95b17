import { useQuery } from '@tanstack/react-query';
import { useViewer } from '../../app/session';
import { request } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { remember, remembered } from '../../verification/checkpoint-memory';
import { Mark, type MarkState } from '../../verification/marks';
import { checkpointFile } from '../../verification/proof-files';
import type { Verdict } from '../../verification/questions';
import { raiseAlarm } from '../../verification/raised-alarms.ts';
import { verify } from '../../verification/verify';
import { CHECKPOINT, CONSISTENCY, type Checkpoint } from './documents';

const words = texts(
  {
    log: 'Activity log',
    failed: 'The gateway returned no proof that the log continues what this browser saw.',
  },
  {
    fr: {
      log: 'Journal d’activité',
      failed: 'La passerelle n’a pas prouvé que le journal continue ce que ce navigateur a vu.',
    },
  },
);

/** A checkpoint as a page or an export has it. */
type Seen = Pick<Checkpoint, 'note' | 'size' | 'verifierKey' | 'keyChanges'>;

/** The result of checking the log, and for which checkpoint. */
type CheckedLog = Verdict & { readonly signed: Checkpoint };

const alarm = (organizationId: string, verdict: Verdict, before: unknown, now: unknown) =>
  raiseAlarm(organizationId, {
    because: verdict.findings.find(({ passed }) => !passed)?.detail ?? words.failed,
    before,
    now,
  });

/** Whether the log is the one that this browser saw before: found out here, and remembered when it holds. */
async function checkLog(organizationId: string, signal: AbortSignal): Promise<CheckedLog> {
  const { logCheckpoint } = await request(CHECKPOINT, {}, signal);
  const before = remembered(organizationId);
  let now = logCheckpoint;
  let hashes: readonly string[] = [];
  if (before && before.size > 0 && before.size < now.size) {
    const { logConsistencyProof: proof } = await request(CONSISTENCY, { from: before.size }, signal);
    now = proof.checkpoint;
    hashes = proof.hashes;
  }
  const { note, verifierKey, keyChanges } = now;
  const verdict = await verify({
    ask: 'checkpoint',
    note,
    verifierKey,
    keyChanges,
    organizationId,
    ...(before ? { before: { note: before.note, verifierKey: before.verifierKey, hashes } } : {}),
  });
  if (!verdict.holds) {
    alarm(organizationId, verdict, before, now);
  } else if (verdict.checkpoint) {
    const { size, origin } = verdict.checkpoint;
    if (!before || size >= before.size)
      remember({
        origin,
        note,
        size,
        verifierKey,
        keys: verdict.keys ?? [],
        seenAt: new Date().toISOString(),
      });
  }
  return { ...verdict, signed: now };
}

export function useLogState() {
  const { id } = useViewer().organization;
  return useQuery({ queryKey: ['logState'], queryFn: ({ signal }) => checkLog(id, signal) });
}

/** Whether the checkpoint of a page is of the log that this browser remembers: older, newer, or the same. */
export async function checkPage(organizationId: string, page: Seen, signal: AbortSignal): Promise<Verdict> {
  const known = remembered(organizationId) ?? page;
  const [older, newer] = page.size < known.size ? [page, known] : [known, page];
  const proof =
    older.size < newer.size
      ? (await request(CONSISTENCY, { from: Math.max(1, older.size), to: newer.size }, signal))
          .logConsistencyProof
      : undefined;
  const verdict = await verify({
    ask: 'checkpoint',
    note: newer.note,
    verifierKey: newer.verifierKey,
    // This browser does not keep the changes of the keys, which name people. They are proven under the newer checkpoint.
    keyChanges: (newer === page ? page : (proof?.checkpoint ?? page)).keyChanges,
    organizationId,
    before: { note: older.note, verifierKey: older.verifierKey, hashes: proof?.hashes ?? [] },
  });
  if (!verdict.holds) alarm(organizationId, verdict, known, page);
  return verdict;
}

/** The check of the checkpoint of a page, after the log itself was checked. */
export function usePageCheckpoint(page: Checkpoint | null): MarkState {
  const { id } = useViewer().organization;
  const log = useLogState();
  const { data, error } = useQuery({
    queryKey: ['pageCheckpoint', page?.note, page?.verifierKey],
    queryFn: ({ signal }) => checkPage(id, page!, signal),
    enabled: page !== null && log.data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data) return { kind: 'verdict', verdict: data };
  const problem = error ?? log.error;
  return problem ? { kind: 'not checkable', because: problem.message } : { kind: 'checking' };
}

export function LogMark() {
  const { data, error } = useLogState();
  const state: MarkState = data
    ? { kind: 'verdict', verdict: data }
    : error
      ? { kind: 'not checkable', because: error.message }
      : { kind: 'checking' };
  return <Mark of={words.log} state={state} file={data && checkpointFile(data.signed)} />;
}
