import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Connection } from '../../app/connection';
import { Button } from '../../design/button';
import { Confirm } from '../../design/dialog';
import { Field, Form } from '../../design/fields';
import { OutsidePage } from '../../design/outside-page';
import { Card, Failure, Loading, Notice } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import { Badge, Code, None, Time } from '../../design/values';
import { useAction } from '../../graphql/hooks';
import { follow } from '../../graphql/live';
import { GatewayError } from '../../graphql/gateway-error';
import { request } from '../../graphql/request';
import type { GrantedOf } from '../../graphql/document';
import { texts } from '../../texts.ts';
import { RELAY_STATUS, RETRY } from './documents';
import { Timeline } from './timeline';
import {
  DOUBT,
  isEnd,
  isInDoubt,
  REASON_MEANINGS,
  STATUS_MEANINGS,
  STATUS_NAMES,
  STATUS_TONES,
} from './status-words.ts';

const words = texts(
  {
    title: 'Watch a relay',
    field: 'Id of the relay',
    hint: 'It begins with rly_. Anyone who has it can watch the relay and start an allowed attempt, so keep it secret. It stays in the address of this page after the #, and is in no request’s path.',
    watch: 'Watch it',
    another: 'Watch another relay',
    status: 'Status',
    reason: 'Reason',
    attempt: 'Attempt',
    transaction: 'Transaction',
    theTransaction: 'the transaction',
    changed: 'Changed',
    timeline: 'What happened',
    over: 'This is final.',
    outdated: 'Not live: what follows may be outdated.',
    retry: 'Try again…',
    retryTitle: 'This sends the package again.',
    retryText: 'It is allowed because it is proven that no earlier transaction of this package can land.',
    retryAction: 'Send it again',
    retrying: 'Sending…',
    back: 'Sign in to the portal',
  },
  {
    fr: {
      title: 'Suivre un relais',
      field: 'Identifiant du relais',
      hint: 'Il commence par rly_. Qui le possède peut suivre le relais et lancer une tentative permise : gardez-le secret. Il reste dans l’adresse de cette page après le # et n’est dans le chemin d’aucune requête.',
      watch: 'Le suivre',
      another: 'Suivre un autre relais',
      status: 'État',
      reason: 'Motif',
      attempt: 'Tentative',
      transaction: 'Transaction',
      theTransaction: 'la transaction',
      changed: 'Modifié',
      timeline: 'Ce qui s’est passé',
      over: 'C’est définitif.',
      outdated: 'Pas en direct : ce qui suit est peut-être ancien.',
      retry: 'Réessayer…',
      retryTitle: 'Ceci envoie à nouveau le paquet.',
      retryText:
        'C’est permis parce qu’il est prouvé qu’aucune transaction antérieure de ce paquet ne peut aboutir.',
      retryAction: 'L’envoyer à nouveau',
      retrying: 'Envoi…',
      back: 'Se connecter au portail',
    },
  },
);

type Change = GrantedOf<typeof RELAY_STATUS>['relayStatus'];

/** The id after the `#`: a capability, which a browser sends nowhere. */
const idInAddress = () => location.hash.slice(1);

/** For anyone who has the id of one relay: its status as it changes, without an account. */
export function WatchRelay() {
  const [id, setId] = useState(idInAddress);
  useEffect(() => {
    const read = () => setId(idInAddress());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return (
    <OutsidePage title={words.title} isWide>
      <Connection />
      {id === '' ? (
        <Form problem={undefined} onSubmit={(values) => (location.hash = values.text('id'))}>
          <Field
            name="id"
            label={words.field}
            hint={words.hint}
            isRequired
            isMono
            pattern="\s*rly_[0-9a-z]+\s*"
          />
          <div>
            <Button type="submit" variant="primary">
              {words.watch}
            </Button>
          </div>
        </Form>
      ) : (
        <Watched key={id} id={id} />
      )}
      <p className="row">
        {id !== '' && <Button onPress={() => (location.hash = '')}>{words.another}</Button>}
        <Link to="/sign-in">{words.back}</Link>
      </p>
    </OutsidePage>
  );
}

/** The gateway does not answer otherwise when it is asked again. */
const FINAL: readonly string[] = ['NOT_FOUND', 'FORBIDDEN', 'BAD_USER_INPUT'];

function Watched({ id }: { readonly id: string }) {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const [refusal, setRefusal] = useState<string>();
  // A stream ends with the relay. It begins again after an allowed attempt.
  const [round, setRound] = useState(0);
  const [isAsking, setAsking] = useState(false);
  useEffect(
    () =>
      follow(
        RELAY_STATUS,
        { relayRequestId: id, after: 0 },
        {
          next({ relayStatus }) {
            setRefusal(undefined);
            setChanges((before) =>
              before.some(({ sequence }) => sequence === relayStatus.sequence)
                ? before
                : [...before, relayStatus],
            );
          },
          begun: () => setRefusal(undefined),
          cursorOf: ({ relayStatus }) => relayStatus.sequence,
          ended: ([code]) => code !== undefined && setRefusal(code),
        },
      ),
    [id, round],
  );
  const retry = useAction(() => request(RETRY, { relayRequestId: id }));
  const close = () => {
    setAsking(false);
    retry.reset();
  };
  const now = changes.at(-1);
  // The stream has ended, and somebody else with the id can have begun another attempt.
  const isStill = now !== undefined && isEnd(now.status) && now.retryAllowed;
  useEffect(() => {
    if (!isStill) return undefined;
    const look = () => document.visibilityState === 'visible' && setRound((before) => before + 1);
    document.addEventListener('visibilitychange', look);
    addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      removeEventListener('focus', look);
    };
  }, [isStill]);
  if (refusal !== undefined && (now === undefined || FINAL.includes(refusal)))
    return <Failure error={new GatewayError(refusal, '')} />;
  if (!now) return <Loading />;
  const isOver = isEnd(now.status) && !now.retryAllowed;
  return (
    <>
      <div role="status">{refusal !== undefined && <Notice tone="warn">{words.outdated}</Notice>}</div>
      <Card
        title={<Badge tone={STATUS_TONES[now.status]}>{STATUS_NAMES[now.status]}</Badge>}
        aside={now.retryAllowed && <Button onPress={() => setAsking(true)}>{words.retry}</Button>}
      >
        <p role="status">
          {STATUS_MEANINGS[now.status]} {isOver && words.over}
        </p>
        {isInDoubt(now.status) && <Notice tone="warn">{DOUBT}</Notice>}
        <Facts>
          <Fact name={words.reason}>
            {now.publicReason === null ? <None /> : REASON_MEANINGS[now.publicReason]}
          </Fact>
          <Fact name={words.attempt}>{now.attemptNumber ?? <None />}</Fact>
          <Fact name={words.transaction}>
            {now.transactionHash === null ? (
              <None />
            ) : (
              <Code value={now.transactionHash} ends={8} what={words.theTransaction} />
            )}
          </Fact>
          <Fact name={words.changed}>
            <Time at={now.updatedAt} isExact />
          </Fact>
        </Facts>
      </Card>
      <Card title={words.timeline}>
        <Timeline
          events={changes.map(({ sequence, status, updatedAt }) => ({
            sequence,
            status,
            at: updatedAt,
            about: <p>{STATUS_MEANINGS[status]}</p>,
          }))}
        />
      </Card>
      {isAsking && (
        <Confirm
          title={words.retryTitle}
          action={words.retryAction}
          busy={words.retrying}
          state={retry}
          onClose={close}
          onConfirm={() =>
            // A refused one is looked at again, too: another attempt may be under way.
            void retry.run(undefined, close).then(() => setRound((before) => before + 1))
          }
        >
          <p>{words.retryText}</p>
        </Confirm>
      )}
    </>
  );
}
