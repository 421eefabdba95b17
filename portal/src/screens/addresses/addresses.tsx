import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { holds, holdsOwner, PLACE_NAMES } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { FormLayer } from '../../design/dialog';
import { Field, Form, Select } from '../../design/fields';
import { Await, Card, Listing } from '../../design/states';
import { Badge, Code, Time } from '../../design/values';
import { graphql } from '../../graphql/document';
import { useAction, usePages, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { PageHead } from '../organization/page';
import { ReasonField } from '../reason-field';
import { SecondPersonNote } from '../second-person-note';
import { addressesSearch } from '../search.ts';
import { Checks } from './checks';

const ADDRESSES = graphql(`
  query Addresses($foreignId: String!, $status: AddressStatus, $search: String, $after: String) {
    addresses(foreignId: $foreignId, status: $status, search: $search, first: 100, after: $after) {
      nodes {
        address
        network
        status
        reason
        changedAt
        changer {
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const POLICY = graphql(`
  query AddressPolicy($foreignId: String!) {
    addressPolicy(foreignId: $foreignId) {
      approvedByDefault
      version
    }
  }
`);
const APPROVE = graphql(`
  mutation ApproveAddress($input: ApproveAddressInput!) {
    approveAddress(input: $input) {
      address
    }
  }
`);
const REVOKE = graphql(`
  mutation RevokeAddress($input: RevokeAddressInput!) {
    revokeAddress(input: $input) {
      address
    }
  }
`);
const SET_DEFAULT = graphql(`
  mutation SetAddressDefault($input: SetAddressDefaultInput!) {
    setAddressDefault(input: $input) {
      version
    }
  }
`);

const words = texts(
  {
    label: 'Listed addresses',
    empty: 'No address is listed.',
    notFound: 'No listed address matches.',
    begins: 'Address begins with',
    status: 'Listed as',
    both: 'either',
    find: 'Find',
    approved: 'approved',
    revoked: 'revoked',
    approve: 'Approve an address…',
    approveTitle: 'Approve an address',
    approveAction: 'Approve the address',
    revoke: 'Revoke…',
    revokeTitle: 'Revoke the address',
    saving: 'Saving…',
    address: 'Address',
    theAddress: 'the address',
    default: 'Addresses that are not listed',
    yes: 'They are approved, unless screening objects.',
    no: 'They are not approved.',
    change: 'Change this…',
    changeTitle: 'Change what happens to addresses that are not listed',
    toYesAction: 'Approve addresses that are not listed',
    toNoAction: 'Refuse addresses that are not listed',
    toYes: 'After this, every address that is not listed is approved, unless screening objects.',
    toNo: 'After this, every address that is not listed is refused.',
    version: (version: number) => `Version ${version} of the list.`,
    second:
      'In your organization another person who manages addresses must make the same request within 72 hours.',
    by: 'by',
  },
  {
    fr: {
      label: 'Adresses de la liste',
      empty: 'Aucune adresse n’est dans la liste.',
      notFound: 'Aucune adresse de la liste ne correspond.',
      begins: 'L’adresse commence par',
      status: 'Dans la liste comme',
      both: 'l’une ou l’autre',
      find: 'Chercher',
      approved: 'approuvée',
      revoked: 'révoquée',
      approve: 'Approuver une adresse…',
      approveTitle: 'Approuver une adresse',
      approveAction: 'Approuver l’adresse',
      revoke: 'Révoquer…',
      revokeTitle: 'Révoquer l’adresse',
      saving: 'Enregistrement…',
      address: 'Adresse',
      theAddress: 'l’adresse',
      default: 'Adresses hors de la liste',
      yes: 'Elles sont approuvées, sauf objection du filtrage.',
      no: 'Elles ne sont pas approuvées.',
      change: 'Changer cela…',
      changeTitle: 'Changer ce qui vaut pour les adresses hors de la liste',
      toYesAction: 'Approuver les adresses hors de la liste',
      toNoAction: 'Refuser les adresses hors de la liste',
      toYes: 'Ensuite, toute adresse hors de la liste est approuvée, sauf objection du filtrage.',
      toNo: 'Ensuite, toute adresse hors de la liste est refusée.',
      version: (version: number) => `Version ${version} de la liste.`,
      second:
        'Dans votre organisation, une autre personne qui gère les adresses doit demander la même chose sous 72 heures.',
      by: 'par',
    },
  },
);

export function Addresses() {
  const { app } = useParams({ from: '/signed-in/a/$app/addresses' });
  const viewer = useViewer();
  const { status } = useSearch({ from: '/signed-in/a/$app/addresses' });
  const navigate = useNavigate({ from: '/a/$app/addresses' });
  // Nothing is offered that would be refused.
  const manages =
    holds(viewer.permissions, app, 'administrator', 'addresses:manage') ||
    holdsOwner(viewer.permissions, 'addresses:manage');
  const [begins, setBegins] = useState('');
  const [open, setOpen] = useState<
    'approve' | { readonly approvesOthers: boolean } | { readonly revoke: string }
  >();
  const pages = usePages(
    ['addresses', app],
    ADDRESSES,
    { foreignId: app, ...(status ? { status } : {}), ...(begins === '' ? {} : { search: begins }) },
    ({ addresses }) => addresses,
  );
  const policy = useRead(['addressPolicy', app], POLICY, { foreignId: app });
  const action = useAction(
    async ({ address, reason }: { address: string; reason: string }) => {
      const input = { foreignId: app, reason };
      if (typeof open === 'object' && 'approvesOthers' in open)
        return run(SET_DEFAULT, { input: { ...input, approvedByDefault: open.approvesOthers } });
      if (open === 'approve') return run(APPROVE, { input: { ...input, address, network: 'solana' } });
      return run(REVOKE, { input: { ...input, address, network: 'solana' } });
    },
    [
      ['addresses', app],
      ['addressPolicy', app],
    ],
  );
  const close = () => {
    setOpen(undefined);
    action.reset();
  };
  const revoked = typeof open === 'object' && 'revoke' in open ? open.revoke : undefined;
  const approvesOthers = typeof open === 'object' && 'approvesOthers' in open && open.approvesOthers;
  const [title, act] =
    open === 'approve'
      ? [words.approveTitle, words.approveAction]
      : revoked === undefined
        ? [words.changeTitle, approvesOthers ? words.toYesAction : words.toNoAction]
        : [words.revokeTitle, words.revokeTitle];
  return (
    <>
      <PageHead
        app={app}
        title={PLACE_NAMES.addresses}
        action={
          manages && (
            <Button variant="primary" onPress={() => setOpen('approve')}>
              {words.approve}
            </Button>
          )
        }
      />
      <Card title={words.default}>
        <Await reading={policy} lines={1}>
          {({ data: { addressPolicy } }) => (
            <>
              <p>
                {addressPolicy.approvedByDefault ? words.yes : words.no}{' '}
                {words.version(addressPolicy.version)}
              </p>
              <div>
                <Button onPress={() => setOpen({ approvesOthers: !addressPolicy.approvedByDefault })}>
                  {words.change}
                </Button>
              </div>
            </>
          )}
        </Await>
      </Card>
      {manages && <Checks app={app} />}
      <h2>{words.label}</h2>
      {manages && (
        <Form
          problem={undefined}
          className="row end-aligned"
          onSubmit={(values) => setBegins(values.text('begins').trim())}
        >
          <Select
            name="status"
            label={words.status}
            value={status ?? ''}
            onChange={(chosen) =>
              // The recorded check that is shown stays.
              void navigate({
                search: (before) => addressesSearch({ ...before, status: chosen }),
                resetScroll: false,
              })
            }
            options={[
              { value: '', label: words.both },
              { value: 'approved', label: words.approved },
              { value: 'revoked', label: words.revoked },
            ]}
          />
          <Field name="begins" label={words.begins} isMono defaultValue={begins} />
          <Button type="submit">{words.find}</Button>
        </Form>
      )}
      <Listing pages={pages} empty={begins === '' && !status ? words.empty : words.notFound}>
        {(nodes) => (
          <ul className="list" aria-label={words.label}>
            {nodes.map((item) => (
              <li key={item.address} className="item">
                <div>
                  <Code value={item.address} ends={10} what={words.theAddress} />
                  <p className="soft">{item.reason}</p>
                </div>
                <div className="item-end">
                  <Badge tone={item.status === 'approved' ? 'good' : 'bad'}>{words[item.status]}</Badge>
                  <span className="soft">
                    <Time at={item.changedAt} />
                    {item.changer && ` ${words.by} ${item.changer.name}`}
                  </span>
                  {item.status === 'approved' && (
                    <Button
                      label={`${words.revoke} ${item.address}`}
                      onPress={() => setOpen({ revoke: item.address })}
                    >
                      {words.revoke}
                    </Button>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Listing>
      {open !== undefined && (
        <FormLayer
          title={title}
          action={act}
          busy={words.saving}
          state={action}
          onClose={close}
          onSubmit={(values) =>
            void action.run(
              {
                address: revoked ?? values.text('address'),
                reason: values.text('reason'),
              },
              close,
            )
          }
        >
          {open === 'approve' && <Field name="address" label={words.address} isRequired isMono />}
          {typeof open === 'object' && 'approvesOthers' in open && (
            <p>{open.approvesOthers ? words.toYes : words.toNo}</p>
          )}
          {revoked !== undefined && <Code value={revoked} ends={10} what={words.theAddress} />}
          {(open === 'approve' || approvesOthers) && <SecondPersonNote>{words.second}</SecondPersonNote>}
          <ReasonField />
        </FormLayer>
      )}
    </>
  );
}
