import { texts } from '../../texts.ts';
import { Mark, useVerdict, type MarkState } from '../../verification/marks';
import { entryFile } from '../../verification/proof-files';
import type { Question, ShownReport } from '../../verification/questions';
import type { EntryNode } from './documents';
import { usePageCheckpoint } from './log-mark';

const words = texts(
  {
    entry: 'Entry',
    waiting: 'The entry has no place in the log yet. It gets one within seconds.',
    noProof: 'The gateway returned no proof of this entry.',
  },
  {
    fr: {
      entry: 'Entrée',
      waiting: 'L’entrée n’a pas encore de place dans le journal. Elle en reçoit une en quelques secondes.',
      noProof: 'La passerelle n’a donné aucune preuve de cette entrée.',
    },
  },
);

/** What another row shows of the entry that it names. */
export interface NamedEntry {
  readonly index: number;
  readonly report?: ShownReport | undefined;
}

/** What must be shown for the entry to be the one that was logged. */
function questionOf(entry: EntryNode, named?: NamedEntry): (Question & { ask: 'entry' }) | undefined {
  const { logged, checkpoint } = entry;
  const index = named?.index ?? entry.index;
  if (index === null || !logged || !checkpoint) return undefined;
  return {
    ask: 'entry',
    index,
    note: checkpoint.note,
    verifierKey: checkpoint.verifierKey,
    keyChanges: checkpoint.keyChanges,
    entry: logged.entry,
    salts: logged.salts,
    hashes: logged.inclusion,
    shown: {
      event_type: entry.eventType,
      user: entry.user,
      user_id: entry.userId,
      object: entry.object,
      details: entry.details,
      application_foreign_id: entry.foreignId,
      case_id: entry.caseId,
      created_at: entry.createdAt,
    },
    report: named?.report,
  };
}

/** Valid if the entry is in a signed tree, and that tree belongs to the log that this browser follows. */
export function useEntryState(entry: EntryNode, named?: NamedEntry): MarkState {
  const page = usePageCheckpoint(entry.checkpoint);
  const question = questionOf(entry, named);
  const stands = useVerdict(question);
  if (question === undefined)
    return { kind: 'not checkable', because: entry.index === null ? words.waiting : words.noProof };
  return page.kind === 'verdict' && page.verdict.holds ? stands : page;
}

export function EntryMark({ entry, named }: { readonly entry: EntryNode; readonly named?: NamedEntry }) {
  const state = useEntryState(entry, named);
  const question = questionOf(entry, named);
  const index = named?.index ?? entry.index;
  return (
    <Mark
      of={`${words.entry}${index === null ? '' : ` ${index}`}`}
      state={state}
      file={question && entryFile(question)}
    />
  );
}
