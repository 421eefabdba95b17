import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { applicationName, useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Confirm } from '../../design/dialog';
import { Card, Listing, Await } from '../../design/states';
import { Fact, Facts, Table } from '../../design/table';
import { Time } from '../../design/values';
import { useAction, usePages, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import type { GrantedOf } from '../../graphql/document';
import { spoken, valueName } from '../log/spoken-values';
import { Name } from '../names';
import { CONFIRM_GRANT, PENDING_GRANTS } from './documents';
import { OPERATION_NAMES, OPERATION_PLACES } from './operation-words.ts';
import { allowedBy } from './permission-texts';
import { PROPOSED_OPERATIONS, WITHDRAW_PROPOSAL } from './proposal-documents';

const words = texts(
  {
    grants: 'Permissions that wait for a second person',
    grantsText: 'Each has no effect until an owner other than its granter and its receiver confirms it.',
    noGrants: 'No permission waits.',
    permission: 'Permission',
    receives: 'For',
    granted: 'Granted by',
    application: 'Application',
    organization: 'the organization',
    time: 'When',
    own: 'Another owner confirms it',
    waits: 'Confirmation',
    confirm: 'Confirm…',
    confirmTitle: 'This permission takes effect.',
    confirmText: 'Nobody else is asked. It can be taken away again under “Change permissions”.',
    confirmAction: 'Confirm the permission',
    confirming: 'Confirming…',
    operations: 'What was proposed',
    operationsText:
      'Each takes effect when another person makes the same request on its page, with the same values.',
    noOperations: 'Nothing is proposed.',
    operation: 'Operation',
    input: 'Values',
    by: 'Proposed by',
    expires: 'Expires',
    withdraw: 'Withdraw…',
    withdrawTitle: 'This withdraws your proposal.',
    withdrawText:
      'It has no effect after this, also if another person makes the same request. You can propose it again.',
    withdrawAction: 'Withdraw the proposal',
    withdrawing: 'Withdrawing…',
  },
  {
    fr: {
      grants: 'Autorisations qui attendent une seconde personne',
      grantsText:
        'Aucune n’a d’effet tant qu’un propriétaire qui ne l’a ni accordée ni reçue ne l’a confirmée.',
      noGrants: 'Aucune autorisation n’attend.',
      permission: 'Autorisation',
      receives: 'Pour',
      granted: 'Accordée par',
      application: 'Application',
      organization: 'l’organisation',
      time: 'Quand',
      own: 'Un autre propriétaire la confirme',
      waits: 'Confirmation',
      confirm: 'Confirmer…',
      confirmTitle: 'Cette autorisation prend effet.',
      confirmText: 'Plus personne n’est consulté. Elle peut être retirée sous « Changer les autorisations ».',
      confirmAction: 'Confirmer l’autorisation',
      confirming: 'Confirmation…',
      operations: 'Ce qui est proposé',
      operationsText:
        'Chacune prend effet quand une autre personne demande la même chose à son endroit, avec les mêmes valeurs.',
      noOperations: 'Rien n’est proposé.',
      operation: 'Opération',
      input: 'Valeurs',
      by: 'Proposé par',
      expires: 'Expire',
      withdraw: 'Retirer…',
      withdrawTitle: 'Ceci retire votre proposition.',
      withdrawText:
        'Elle n’a plus d’effet ensuite, même si une autre personne demande la même chose. Vous pouvez la refaire.',
      withdrawAction: 'Retirer la proposition',
      withdrawing: 'Retrait…',
    },
  },
);

type Proposal = GrantedOf<typeof PROPOSED_OPERATIONS>['proposedOperations'][number];
type Proposed = Pick<Proposal, 'operation' | 'input'>;

/** The application that a proposal names. */
function foreignIdIn(input: Proposed['input']): string | undefined {
  const named = input['foreignId'] ?? input['foreign_id'];
  return typeof named === 'string' ? named : undefined;
}

/** What a proposal would do, value by value: what has an id by its name. */
function Values({ input }: { readonly input: Readonly<Record<string, unknown>> }) {
  const viewer = useViewer();
  const app = foreignIdIn(input);
  return (
    <Facts>
      {Object.entries(input).map(([name, value]) => (
        <Fact key={name} name={valueName(name)}>
          {app !== undefined && value === app
            ? `${applicationName(viewer, app)} (${app})`
            : (spoken(value, app) ?? <code>{JSON.stringify(value)}</code>)}
        </Fact>
      ))}
    </Facts>
  );
}

/** Deciding permissions that one owner granted and another has yet to confirm. */
export function PendingGrants({
  isShownEmpty = true,
  memberId,
}: {
  readonly isShownEmpty?: boolean;
  /** Only those for this member. */
  readonly memberId?: string;
}) {
  const viewer = useViewer();
  const every = usePages(
    ['pendingPermissionGrants'],
    PENDING_GRANTS,
    {},
    ({ pendingPermissionGrants }) => pendingPermissionGrants,
  );
  const pages =
    memberId === undefined
      ? every
      : { ...every, nodes: every.nodes.filter(({ userId }) => userId === memberId) };
  const [confirming, setConfirming] = useState<Grant>();
  if (!isShownEmpty && !confirming && !pages.error && pages.nodes.length === 0) return null;
  return (
    <Card title={words.grants}>
      <p className="soft">{words.grantsText}</p>
      {confirming && <ConfirmGrant grant={confirming} onClose={() => setConfirming(undefined)} />}
      <Listing pages={pages} empty={words.noGrants}>
        {(nodes) => (
          <Table
            label={words.grants}
            rows={nodes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: words.permission,
                cell: ({ bucket, permission }) => (
                  <>
                    <code>{permission}</code>
                    <p className="soft">{allowedBy(bucket, permission)}</p>
                  </>
                ),
              },
              { name: words.receives, cell: ({ userId }) => <Name id={userId} /> },
              {
                name: words.application,
                cell: ({ foreignId }) =>
                  foreignId === null ? words.organization : applicationName(viewer, foreignId),
              },
              { name: words.granted, cell: ({ grantedBy }) => <Name id={grantedBy} /> },
              { name: words.time, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                name: words.waits,
                cell: (grant) =>
                  viewer.user?.id === grant.userId || viewer.user?.id === grant.grantedBy ? (
                    <span className="soft">{words.own}</span>
                  ) : (
                    <Button
                      label={`${words.confirm} ${grant.permission}`}
                      onPress={() => setConfirming(grant)}
                    >
                      {words.confirm}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Listing>
    </Card>
  );
}

type Grant = GrantedOf<typeof PENDING_GRANTS>['pendingPermissionGrants']['nodes'][number];

function ConfirmGrant({
  grant: { id, bucket, permission, foreignId, userId, grantedBy },
  onClose,
}: {
  readonly grant: Grant;
  readonly onClose: () => void;
}) {
  const viewer = useViewer();
  const confirm = useAction(
    () => run(CONFIRM_GRANT, { id }),
    [['pendingPermissionGrants'], ['members'], ['member']],
  );
  return (
    <Confirm
      title={words.confirmTitle}
      action={words.confirmAction}
      busy={words.confirming}
      state={confirm}
      onClose={onClose}
      onConfirm={() => void confirm.run(undefined, onClose)}
    >
      <Facts>
        <Fact name={words.permission}>
          <code>{permission}</code>
          <p className="soft">{allowedBy(bucket, permission)}</p>
        </Fact>
        <Fact name={words.receives}>
          <Name id={userId} />
        </Fact>
        <Fact name={words.application}>
          {foreignId === null ? words.organization : applicationName(viewer, foreignId)}
        </Fact>
        <Fact name={words.granted}>
          <Name id={grantedBy} />
        </Fact>
      </Facts>
      <p>{words.confirmText}</p>
    </Confirm>
  );
}

const operationName = (operation: string) =>
  Object.hasOwn(OPERATION_NAMES, operation) ? OPERATION_NAMES[operation]! : operation;

/** What would be done, and where a second person asks for it, too. */
function Operation({ operation, input }: Proposed) {
  if (!Object.hasOwn(OPERATION_NAMES, operation)) return <code>{operation}</code>;
  const name = operationName(operation);
  const place = OPERATION_PLACES[operation];
  if (place) return <Link to={place}>{name}</Link>;
  const app = foreignIdIn(input);
  if (app === undefined) return name;
  return operation === 'addCaseAuditor' ? (
    <Link to="/a/$app/cases/$id" params={{ app, id: String(input['caseId']) }}>
      {name}
    </Link>
  ) : (
    <Link to="/a/$app/addresses" params={{ app }}>
      {name}
    </Link>
  );
}

/** Others must wait after such a proposal, so the gateway lets nobody withdraw it. */
const STAYS = 'declareSigningKeyLost';

function Withdrawal({
  proposal: { id, operation, input },
  onClose,
}: {
  readonly proposal: Proposal;
  readonly onClose: () => void;
}) {
  const withdraw = useAction(() => run(WITHDRAW_PROPOSAL, { id }), [['proposedOperations'], ['activityLog']]);
  return (
    <Confirm
      title={words.withdrawTitle}
      action={words.withdrawAction}
      busy={words.withdrawing}
      state={withdraw}
      isDanger
      onClose={onClose}
      onConfirm={() => void withdraw.run(undefined, onClose)}
    >
      <Facts>
        <Fact name={words.operation}>{operationName(operation)}</Fact>
      </Facts>
      <Values input={input} />
      <p>{words.withdrawText}</p>
    </Confirm>
  );
}

/** What one person proposed and nobody has asked for too. */
export function ProposedOperations({ isShownEmpty = true }: { readonly isShownEmpty?: boolean }) {
  const viewer = useViewer();
  const reading = useRead(['proposedOperations'], PROPOSED_OPERATIONS, {});
  const [withdrawing, setWithdrawing] = useState<Proposal>();
  if (!isShownEmpty && !withdrawing && !reading.error && !reading.data?.data.proposedOperations.length)
    return null;
  return (
    <Card title={words.operations}>
      <p className="soft">{words.operationsText}</p>
      {withdrawing && <Withdrawal proposal={withdrawing} onClose={() => setWithdrawing(undefined)} />}
      <Await reading={reading} lines={1}>
        {({ data: { proposedOperations } }) =>
          proposedOperations.length === 0 ? (
            <p className="soft">{words.noOperations}</p>
          ) : (
            <Table
              label={words.operations}
              rows={proposedOperations}
              keyOf={({ id }) => id}
              columns={[
                { name: words.operation, cell: (proposed) => <Operation {...proposed} /> },
                { name: words.input, cell: ({ input }) => <Values input={input} /> },
                {
                  name: words.by,
                  cell: (proposal) => (
                    <>
                      {proposal.proposedBy.name}
                      {viewer.user?.id === proposal.proposedBy.id && proposal.operation !== STAYS && (
                        <p>
                          <Button
                            label={`${words.withdraw} ${operationName(proposal.operation)}`}
                            onPress={() => setWithdrawing(proposal)}
                          >
                            {words.withdraw}
                          </Button>
                        </p>
                      )}
                    </>
                  ),
                },
                { name: words.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              ]}
            />
          )
        }
      </Await>
    </Card>
  );
}
