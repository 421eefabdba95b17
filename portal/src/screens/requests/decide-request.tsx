import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useViewer } from '../../app/session';
import { Confirm } from '../../design/dialog';
import { Checkbox } from '../../design/fields';
import type { FormValues } from '../../design/form-values.ts';
import { Fact, Facts } from '../../design/table';
import { None, Timed } from '../../design/values';
import { listText } from '../../format.ts';
import { useAction } from '../../graphql/hooks';
import { pagesOf } from '../../graphql/pages';
import { request as run } from '../../graphql/request';
import { counted, texts } from '../../texts.ts';
import { nextPending } from '../next-pending.ts';
import { ReasonField } from '../reason-field';
import { FLAGS } from '../flags.ts';
import { flagsText, HIDDEN_NAME, hiddenText, periodText, distinguished } from '../scope.ts';
import { Stay, stays } from '../stay';
import { GrantFields, grantOfAll, lessThanAsked } from './grant';
import { GrantedNumber } from './preview';
import { APPROVE, CLOSE, REGISTRY, WITHDRAW, type RequestNode } from './documents';

const words = texts(
  {
    period: 'Period',
    assets: 'Assets',
    approveTitle: 'This opens a case.',
    who: 'Who can read it',
    what: 'What they see',
    ledger:
      'The ledger is public: a destination and a day can be enough to find a transfer there, and with it its sender and its id.',
    until: 'Until',
    untilText: (when: string, days: number) => `${when} (${days} × 24 hours from now)`,
    ends: 'It ends automatically. It cannot be widened; ending it earlier removes the auditors’ access.',
    approveAction: (count: number) => `Open the case for ${counted(count, 'auditor', 'auditors')}`,
    opening: 'Opening…',
    less: 'Grant less than was requested',
    lessHint: 'Leave out values, days, auditors or assets. The request keeps its original scope.',
    closeTitle: 'This closes the request.',
    closeText: 'Nothing is disclosed. The requester sees your reason and can file another request.',
    closeAction: 'Close the request',
    closing: 'Closing…',
    withdrawTitle: 'This withdraws your request.',
    withdrawText: 'Nothing is disclosed, and nobody can decide the request after this.',
    withdrawAction: 'Withdraw the request',
    withdrawing: 'Withdrawing…',
  },
  {
    fr: {
      period: 'Période',
      assets: 'Actifs',
      approveTitle: 'Ceci ouvre un dossier.',
      who: 'Qui peut le lire',
      what: 'Ce qu’ils voient',
      ledger:
        'Le registre est public : une destination et un jour peuvent suffire à y retrouver un transfert, et avec lui son expéditeur et son identifiant.',
      until: 'Jusqu’au',
      untilText: (when: string, days: number) => `${when} (${days} × 24 heures à partir de maintenant)`,
      ends: 'Il se termine de lui-même. Il ne peut être élargi ; le terminer plus tôt retire leur accès aux auditeurs.',
      approveAction: (count: number) => `Ouvrir le dossier pour ${counted(count, 'auditeur', 'auditeurs')}`,
      opening: 'Ouverture…',
      less: 'Accorder moins que demandé',
      lessHint:
        'Omettre des valeurs, des jours, des auditeurs ou des actifs. La demande garde ce qui a été demandé.',
      closeTitle: 'Ceci refuse la demande.',
      closeText: 'Rien n’est divulgué. Le demandeur voit votre motif et peut déposer une autre demande.',
      closeAction: 'Refuser la demande',
      closing: 'Refus…',
      withdrawTitle: 'Ceci retire votre demande.',
      withdrawText: 'Rien n’est divulgué, et personne ne peut plus statuer sur la demande.',
      withdrawAction: 'Retirer la demande',
      withdrawing: 'Retrait…',
    },
  },
);

interface DecisionProps {
  readonly app: string;
  readonly request: RequestNode;
  readonly onClose: () => void;
}

const changedBy = (app: string, id: string) => [
  ['caseRequest', app, id],
  ['caseRequests', app],
  ['disclosureRegistry', app],
  ['cases', app],
  ['toDo'],
];

const DAY_MS = 86_400_000;

/** Decides, and opens the next request that waits for the viewer, or the list. */
function useDecision({ app, request, onClose }: DecisionProps, decide: (reason: string) => Promise<unknown>) {
  const navigate = useNavigate();
  const { user, organization } = useViewer();
  const queue = () =>
    pagesOf(
      async (after) =>
        (await run(REGISTRY, { foreignId: app, status: 'pending', oldestFirst: true, after }))
          .disclosureRegistry,
    );
  const action = useAction(
    async (values: FormValues) => {
      await decide(values.text('reason'));
      if (stays(values)) return undefined;
      return nextPending(
        request.id,
        queue(),
        ({ requestedBy }) => !organization.requireSecondPerson || requestedBy.id !== user?.id,
      );
    },
    changedBy(app, request.id),
  );
  const confirm = (values: FormValues) => {
    const { pathname } = location;
    return action.run(values, (next) => {
      onClose();
      // Who has gone elsewhere meanwhile is not pulled back.
      if (stays(values) || location.pathname !== pathname) return;
      const state = { decided: request.id };
      void navigate(
        next === undefined
          ? { to: '/a/$app/requests', params: { app }, state }
          : { to: '/a/$app/requests/$id', params: { app, id: next }, state },
      );
    });
  };
  return { ...action, confirm };
}

export function Approve({ app, request, onClose }: DecisionProps) {
  const [now] = useState(Date.now);
  const [isLess, setLess] = useState(false);
  const [chosen, setChosen] = useState(() => grantOfAll(request));
  const grant = isLess ? chosen : grantOfAll(request);
  const less = lessThanAsked(request, grant);
  const action = useDecision({ app, request, onClose }, (reason) =>
    run(APPROVE, {
      input: {
        foreignId: app,
        id: request.id,
        ...(reason === '' ? {} : { reason }),
        ...(less === undefined ? {} : { grant: less }),
      },
    }),
  );
  const auditors = request.auditors.filter(({ id }) => grant.auditorIds.includes(id));
  const assets = distinguished(request.assets).filter(({ id }) => grant.assetIds.includes(id));
  return (
    <Confirm
      title={words.approveTitle}
      action={words.approveAction(auditors.length)}
      busy={words.opening}
      state={action}
      onClose={onClose}
      onConfirm={(values) => void action.confirm(values)}
    >
      <Facts>
        <Fact name={words.who}>
          {auditors.length === 0 && <None />}
          <ul className="plain-list">
            {auditors.map(({ id, name, email }) => (
              <li key={id}>
                {name} <span className="soft">{email}</span>
              </li>
            ))}
          </ul>
        </Fact>
        <Fact name={words.assets}>{listText(assets.map(({ name }) => name)) || <None />}</Fact>
        <Fact name={words.period}>{periodText(grant.periodFrom, grant.periodTo)}</Fact>
        <GrantedNumber app={app} request={request} grant={grant} />
        <Fact name={words.what}>{flagsText(grant.disclosureFlags)}</Fact>
        <Fact name={HIDDEN_NAME}>{hiddenText(grant.disclosureFlags)}</Fact>
        <Fact name={words.until}>
          <Timed
            // While it is typed, it can be any number.
            at={[now + Math.min(Math.max(0, grant.accessDays), request.accessDays) * DAY_MS]}
            in={(when) => words.untilText(when, grant.accessDays)}
          />
        </Fact>
      </Facts>
      <Checkbox name="isLess" label={words.less} hint={words.lessHint} checked={isLess} onChange={setLess} />
      {isLess && <GrantFields request={request} grant={chosen} onChange={setChosen} />}
      {FLAGS.some((flag) => !grant.disclosureFlags[flag]) && <p>{words.ledger}</p>}
      <p>{words.ends}</p>
      <ReasonField isRequired={false} />
      <Stay />
    </Confirm>
  );
}

export function Close({ app, request, onClose }: DecisionProps) {
  const action = useDecision({ app, request, onClose }, (reason) =>
    run(CLOSE, { input: { foreignId: app, id: request.id, reason } }),
  );
  return (
    <Confirm
      title={words.closeTitle}
      action={words.closeAction}
      busy={words.closing}
      state={action}
      onClose={onClose}
      onConfirm={(values) => void action.confirm(values)}
    >
      <p>{words.closeText}</p>
      <ReasonField lines={3} />
      <Stay />
    </Confirm>
  );
}

export function Withdraw({ app, request, onClose }: DecisionProps) {
  const action = useAction(
    () => run(WITHDRAW, { input: { foreignId: app, id: request.id } }),
    changedBy(app, request.id),
  );
  return (
    <Confirm
      title={words.withdrawTitle}
      action={words.withdrawAction}
      busy={words.withdrawing}
      state={action}
      onClose={onClose}
      onConfirm={() => void action.run(undefined, onClose)}
    >
      <p>{words.withdrawText}</p>
    </Confirm>
  );
}
