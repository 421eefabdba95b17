import { Link } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState } from 'react';
import { OutsidePage } from '../../design/outside-page';
import { Icon } from '../../design/icons';
import { Field, Form } from '../../design/fields';
import { type FormValues, valuesOf } from '../../design/form-values.ts';
import { Button } from '../../design/button';
import { Card } from '../../design/states';
import { Code } from '../../design/values';
import { sizeText } from '../../format.ts';
import { texts } from '../../texts.ts';
import { Findings, Mark, type MarkState } from '../../verification/marks';
import type { Question, Verdict } from '../../verification/questions';
import { verify } from '../../verification/verify';

const words = texts(
  {
    title: 'Verify a file',
    intro:
      'Choose a disclosure, an export of the activity log, a relay receipt, a signed checkpoint, a report, or the file of a mark. This browser reads it and sends it nowhere: this works without a network.',
    ready: 'Everything that the checks need is loaded: you can disconnect from the network now.',
    choose: 'Drop a file here, or choose one',
    sha: 'Expected SHA-256',
    shaHint:
      'Of a report: the one in the list of reports. The log has another digest: “Check a file” in that list compares it.',
    key: 'Verifier key that you know',
    keyHint:
      'A current or earlier key of the organization that you got from another source. Without it, the key in the file is trusted.',
    keys: 'File of keys',
    keysHint:
      'For a disclosure or a receipt, if the organization changed its key: an export of its activity log, or the key file that its owner saved.',
    again: 'Check again',
    size: 'Size',
    result: 'Result',
    is: 'This is',
    disclosure: 'a disclosure',
    log: 'an export of the activity log',
    'relay receipt': 'the receipt of a relay',
    checkpoint: 'a signed checkpoint',
    amount: 'an amount with its proof',
    other: 'a file that only its hash identifies',
    back: 'Back to the portal',
    file: 'File',
    hash: 'the SHA-256',
  },
  {
    fr: {
      title: 'Vérifier un fichier',
      intro:
        'Choisissez une divulgation, un export du journal, le reçu d’un relais, un point de contrôle signé, un rapport ou le fichier d’une marque. Il est lu dans ce navigateur et n’est envoyé nulle part : cela marche sans réseau.',
      ready: 'Tout ce dont les vérifications ont besoin est chargé : vous pouvez couper le réseau.',
      choose: 'Déposez un fichier ici, ou choisissez-le',
      sha: 'SHA-256 attendu',
      shaHint:
        'D’un rapport : celui de la liste des rapports. Le journal a une autre empreinte : « Vérifier un fichier » dans cette liste la compare.',
      key: 'Clé de vérification que vous connaissez',
      keyHint:
        'Une clé de l’organisation, d’aujourd’hui ou d’avant, que vous tenez d’ailleurs. Sans elle, la clé du fichier est crue.',
      keys: 'Fichier des clés',
      keysHint:
        'Pour une divulgation ou un reçu, si l’organisation a changé de clé : un export de son journal d’activité, ou le fichier de clés que son propriétaire a enregistré.',
      again: 'Vérifier à nouveau',
      size: 'Taille',
      result: 'Résultat',
      is: 'Ceci est',
      disclosure: 'une divulgation',
      log: 'un export du journal d’activité',
      'relay receipt': 'le reçu d’un relais',
      checkpoint: 'un point de contrôle signé',
      amount: 'un montant avec sa preuve',
      other: 'un fichier que seule son empreinte distingue',
      back: 'Retour au portail',
      file: 'Fichier',
      hash: 'le SHA-256',
    },
  },
);

export function VerifyFile() {
  // The checking thread is loaded with the page, so that the network can go before the first file comes.
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    void verify({ ask: 'ready' }).then(
      ({ holds }) => setReady(holds),
      () => setReady(false),
    );
  }, []);
  return (
    <OutsidePage title={words.title} isWide>
      <p>{words.intro}</p>
      <p role="status" className="soft">
        {isReady && words.ready}
      </p>
      <FileCheck />
      <p>
        <Link to="/">{words.back}</Link>
      </p>
    </OutsidePage>
  );
}

type Known = Omit<Question & { ask: 'file' }, 'ask' | 'file'>;

function knownOf({ text, file }: FormValues): Known {
  const [sha256, key, keys] = [text('sha256'), text('key'), file('keys')];
  return {
    ...(sha256 === '' ? {} : { expectedSha256: sha256 }),
    ...(key === '' ? {} : { verifierKey: key }),
    ...(keys ? { keys } : {}),
  };
}

/** What else a reader may know of a file of each kind; of one that cannot be read, nothing helps. */
const ASKED: Readonly<Record<NonNullable<Verdict['kind']>, readonly ('sha256' | 'key' | 'keys')[]>> = {
  other: ['sha256'],
  log: ['key'],
  checkpoint: ['key'],
  disclosure: ['key', 'keys'],
  'relay receipt': ['key', 'keys'],
  amount: [],
};

const asFound = (found: MarkState): MarkState => found;

/** A file is read and checked on the checking thread. */
export function FileCheck({
  against,
  judge = asFound,
}: {
  /** What the file must be, where the page knows it: without it a form asks. */
  readonly against?: Known;
  /** How a finding is shown, if the page knows more than the file. */
  readonly judge?: (found: MarkState) => MarkState;
}) {
  const [file, setFile] = useState<File>();
  const [found, setFound] = useState<MarkState>();
  const state = found && judge(found);
  const [kind, setKind] = useState<Verdict['kind']>();
  const asks = kind === undefined ? [] : ASKED[kind];
  const [isOver, setOver] = useState(false);
  const fields = useRef<HTMLDivElement>(null);
  const checks = useRef(0);
  const [chosenCount, setChosenCount] = useState(0);
  const check = async (chosen: File, known: Known) => {
    const latest = ++checks.current;
    setFile(chosen);
    setFound({ kind: 'checking' });
    const verdict = await verify({ ask: 'file', file: chosen, ...known }).catch((error: Error): Verdict => ({
      holds: false,
      findings: [],
      unverified: [error.message],
    }));
    // A check that took longer must not speak of the file that came after.
    if (latest !== checks.current) return;
    setKind(verdict.kind);
    setFound(
      verdict.findings.length === 0
        ? { kind: 'not checkable', because: verdict.unverified.join(' ') }
        : { kind: 'verdict', verdict },
    );
  };
  /** A key may be the one of the next file, too. A hash is of one file. */
  const choose = (chosen: File | undefined) => {
    if (!chosen) return;
    setChosenCount((count) => count + 1);
    void check(chosen, { ...knownNow(), expectedSha256: '' });
  };
  /** What the form shows, sent or not. */
  function knownNow(): Known {
    if (against !== undefined) return against;
    const form = fields.current?.querySelector('form');
    return form ? knownOf(valuesOf(new FormData(form))) : {};
  }
  return (
    <>
      <label
        className={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          choose(event.dataTransfer.files[0]);
        }}
      >
        <Icon name="file" /> {words.choose}
        <input type="file" onChange={({ target }) => choose(target.files?.[0])} />
      </label>
      <div role="status">
        {file && state && (
          <Card title={words.result} aside={<Mark of={words.file} state={state} />}>
            <p>
              {file.name}, {sizeText(file.size)}.{' '}
              {state.kind === 'verdict' && state.verdict.kind !== undefined && (
                <>
                  {words.is} {words[state.verdict.kind]}.
                </>
              )}
            </p>
            {state.kind === 'verdict' && state.verdict.sha256 !== undefined && (
              <p className="soft">
                SHA-256 <Code value={state.verdict.sha256} ends={12} what={words.hash} />
              </p>
            )}
            <Findings state={state} />
          </Card>
        )}
      </div>
      {file && against === undefined && asks.length > 0 && (
        <div ref={fields}>
          <Form problem={undefined} onSubmit={(values) => void check(file, knownOf(values))}>
            {asks.includes('sha256') && (
              <Field
                key={chosenCount}
                name="sha256"
                label={words.sha}
                hint={words.shaHint}
                isMono
                pattern="\s*[0-9a-fA-F]{64}\s*"
              />
            )}
            {asks.includes('key') && <Field name="key" label={words.key} hint={words.keyHint} isMono />}
            {asks.includes('keys') && <FileField name="keys" label={words.keys} hint={words.keysHint} />}
            <div>
              <Button type="submit">{words.again}</Button>
            </div>
          </Form>
        </div>
      )}
    </>
  );
}

/** A file as the browser asks for it. */
function FileField({
  name,
  label,
  hint,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} type="file" name={name} className="input" aria-describedby={`${id}-hint`} />
      <span id={`${id}-hint`} className="soft">
        {hint}
      </span>
    </div>
  );
}
