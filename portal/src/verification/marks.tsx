import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState, type MouseEventHandler, type Ref } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Popover } from 'react-aria-components/Popover';
import { Button } from '../design/button';
import { Icon, type IconName } from '../design/icons';
import { Time } from '../design/values';
import { SECRET } from '../app/client';
import { texts } from '../texts.ts';
import type { Question, Verdict } from './questions';
import { amountFile, amountQuestion, type ProofFile, type ProvenAmount } from './proof-files';
import { saveFile } from './save-file';
import { verify } from './verify';

const words = texts(
  {
    held: 'Checked here',
    checking: 'Checking…',
    not: 'Not checkable',
    open: 'Public',
    openText:
      'The gateway says that this is a deposit or a withdrawal, whose amount is public on the ledger, so there is no proof. This browser does not read the ledger: look up the signature there to compare the amount, and that it is not a transfer.',
    failed: 'Does not hold',
    what: 'What was checked',
    limits: 'What this does not show',
    here: 'This browser checked signatures and proofs. It did not rely on what the gateway says.',
    at: 'Checked on',
    of: (what: string, state: string) => `${what}: ${state}`,
    save: 'Save the file of this check',
    elsewhere: 'Anyone can check the file, without the gateway: “Verify a file” accepts it, and so does',
  },
  {
    fr: {
      held: 'Vérifié ici',
      checking: 'Vérification…',
      not: 'Non vérifiable',
      open: 'Public',
      openText:
        'La passerelle dit que c’est un dépôt ou un retrait, dont le montant est public sur le registre : il n’y a pas de preuve. Ce navigateur ne lit pas le registre : cherchez-y la signature pour comparer le montant, et pour voir que ce n’est pas un transfert.',
      failed: 'Échec de la vérification',
      what: 'Ce qui a été vérifié',
      limits: 'Ce que cela ne montre pas',
      here: 'Calculé dans ce navigateur à partir de signatures et de preuves, et non affirmé par la passerelle.',
      at: 'Vérifié le',
      of: (what: string, state: string) => `${what} : ${state}`,
      save: 'Enregistrer le fichier de cette vérification',
      elsewhere:
        'Chacun peut vérifier le fichier, sans la passerelle : « Vérifier un fichier » l’accepte, tout comme',
    },
  },
);

export type MarkState =
  | { readonly kind: 'checking' }
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'not checkable'; readonly because: string }
  /** An amount that is not checkable, and needs no check here, because everyone can read it on the ledger. */
  | { readonly kind: 'public' };

const LOOKS = {
  held: { tone: 'good', icon: 'check', text: words.held },
  failed: { tone: 'bad', icon: 'cross', text: words.failed },
  checking: { tone: 'plain', icon: 'dots', text: words.checking },
  'not checkable': { tone: 'plain', icon: 'question', text: words.not },
  public: { tone: 'plain', icon: 'file', text: words.open },
} as const satisfies Record<string, { tone: string; icon: IconName; text: string }>;

const lookOf = (state: MarkState) =>
  LOOKS[state.kind === 'verdict' ? (state.verdict.holds ? 'held' : 'failed') : state.kind];

/** The look of a mark, which something else opens: the grid has one explanation for all its cells. */
export function MarkButton({
  state,
  of: subject,
  ...button
}: {
  readonly state: MarkState;
  readonly of: string;
  readonly id?: string;
  readonly tabIndex?: number;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly onClick: MouseEventHandler<HTMLButtonElement>;
}) {
  const look = lookOf(state);
  return (
    <button
      {...button}
      type="button"
      className={`mark ${look.tone}`}
      aria-label={words.of(subject, look.text)}
      aria-haspopup="dialog"
    >
      <Icon name={look.icon} />
      {look.text}
    </button>
  );
}

/** A mark is computed here, always: no field of an answer makes one green. It opens to what was checked. */
export function Mark({
  state,
  of: subject,
  isInGrid = false,
  file,
}: {
  readonly state: MarkState;
  readonly of: string;
  /** The keys of a grid lead to it, not the Tab key. */
  readonly isInGrid?: boolean | undefined;
  readonly file?: ProofFile | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();
  const look = lookOf(state);
  return (
    <>
      <MarkButton
        ref={trigger}
        id={id}
        of={subject}
        state={state}
        tabIndex={isInGrid ? -1 : 0}
        onClick={() => setOpen(true)}
      />
      <Popover triggerRef={trigger} isOpen={isOpen} onOpenChange={setOpen} className="popover">
        <Dialog className="stack" aria-labelledby={`${id}-title`}>
          <Heading slot="title" level={2} id={`${id}-title`}>
            {words.of(subject, look.text)}
          </Heading>
          <Findings state={state} file={file} />
        </Dialog>
      </Popover>
    </>
  );
}

export function Findings({
  state,
  file,
}: {
  readonly state: MarkState;
  /** What was checked, for a check elsewhere. */
  readonly file?: ProofFile | undefined;
}) {
  if (state.kind === 'checking') return <p>{words.checking}</p>;
  if (state.kind === 'public') return <p>{words.openText}</p>;
  if (state.kind === 'not checkable') return <p>{state.because}</p>;
  const { findings, unverified, checkedAt } = state.verdict;
  return (
    <>
      {findings.length > 0 && (
        <div>
          <h3>{words.what}</h3>
          <ul className="findings">
            {/* What failed comes first: below what passed it would be overlooked. */}
            {[...findings]
              .sort((one, other) => Number(one.passed) - Number(other.passed))
              .map(({ name, passed, detail }) => (
                <li key={name} className={passed ? 'good' : 'bad'}>
                  <Icon name={passed ? 'check' : 'cross'} />
                  <span>{detail}</span>
                </li>
              ))}
          </ul>
        </div>
      )}
      {unverified.length > 0 && (
        <div>
          <h3>{words.limits}</h3>
          <ul>
            {unverified.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="soft">{words.here}</p>
      {checkedAt !== undefined && (
        <p className="soft">
          {words.at} <Time at={checkedAt} isExact />.
        </p>
      )}
      {file && (
        <>
          <p>
            {words.elsewhere}{' '}
            <code>
              {file.command} {file.name}
            </code>
            .
          </p>
          <div>
            <Button onPress={() => saveFile(file.name, JSON.stringify(file.content()))}>{words.save}</Button>
          </div>
        </>
      )}
    </>
  );
}

/** The mark of an amount with its proof. */
export function AmountMark({
  of: subject,
  proven,
  because,
  isInGrid,
}: {
  readonly of: string;
  readonly isInGrid?: boolean;
  readonly proven: ProvenAmount | undefined;
  /** Why there is nothing to check, where there is no proof. */
  readonly because: string;
}) {
  const question = proven && amountQuestion(proven);
  return (
    <CheckedMark
      of={subject}
      question={question}
      because={because}
      file={question && amountFile(question)}
      isInGrid={isInGrid}
    />
  );
}

/** Asks the verification worker once for each question: the result for one answer says nothing about the next. */
export function useVerdict(question: Question | undefined): MarkState {
  const { data, error } = useQuery({
    queryKey: [SECRET, 'verdict', question],
    queryFn: ({ signal }) => verify(question!, signal),
    enabled: question !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (error) return { kind: 'not checkable', because: error.message };
  if (question === undefined || data === undefined) return { kind: 'checking' };
  return { kind: 'verdict', verdict: data };
}

export function CheckedMark({
  of: subject,
  question,
  because,
  file,
  isInGrid,
}: {
  readonly of: string;
  readonly isInGrid?: boolean | undefined;
  readonly question: Question | undefined;
  readonly file?: ProofFile | undefined;
  /** Why there is nothing to check, where there is no question. */
  readonly because?: string;
}) {
  const state = useVerdict(question);
  return (
    <Mark
      of={subject}
      file={file}
      isInGrid={isInGrid}
      state={question === undefined ? { kind: 'not checkable', because: because ?? '' } : state}
    />
  );
}
