import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button';
import { Field, Form } from '../../design/fields';
import { Await, Card, Listing } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import { Badge, Code, ID_WORDS, None, Time } from '../../design/values';
import { graphql, type EnumOf, type GrantedOf } from '../../graphql/document';
import { useAction, useEvery, usePages, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { Mark, useVerdict } from '../../verification/marks';

const CHECK_IDS = graphql(`
  query CheckApplicationIds($after: String) {
    applications(first: 200, after: $after) {
      nodes {
        foreignId
        checkApplicationId
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const CHECK_ADDRESS = graphql(`
  mutation CheckAddress($input: CheckAddressInput!) {
    checkAddress(input: $input) {
      checkId
    }
  }
`);
const ADDRESS_CHECK = graphql(`
  query AddressCheck($id: ID!) {
    addressCheck(id: $id) {
      id
      network
      address
      checkApplicationId
      approved
      reason
      decidedBy
      policyVersion
      listVersion
      checkedAt
      metadataHash
    }
  }
`);

const RECORDED_CHECKS = graphql(`
  query AddressChecks($foreignId: String!, $address: String, $after: String) {
    addressChecks(foreignId: $foreignId, address: $address, first: 20, after: $after) {
      nodes {
        id
        address
        approved
        reason
        checkedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const words = texts(
  {
    title: 'Checks',
    list: 'Recorded checks, newest first',
    noChecks: 'Nothing was checked yet.',
    noChecksOf: 'This address was not checked yet.',
    only: 'Only checks of this address',
    filter: 'Show its checks',
    all: 'Show all checks',
    text: 'Runs the same check as for a backend: the sanctions list, the screening services, the addresses listed here, then the default. The check is recorded.',
    address: 'Address to check',
    check: 'Check the address',
    checking: 'Checking…',
    id: 'Id of a recorded check',
    show: 'Show the check',
    recorded: 'Recorded check',
    approved: 'approved',
    refused: 'not approved',
    checked: 'Address',
    theAddress: 'the address',
    decided: 'Decided by',
    at: 'Checked',
    version: 'Version of the list here',
    sanctions: 'Sanctions list',
    none: 'none was loaded',
    hash: 'Hash',
    theHash: 'the hash',
    limits:
      'The hash matches the data shown, but the gateway returned both together. It proves only that the check has not changed since someone else received the hash: compare it with theirs. The decider and the id are not part of the hash.',
  },
  {
    fr: {
      title: 'Contrôles',
      list: 'Contrôles enregistrés, le plus récent d’abord',
      noChecks: 'Rien n’a encore été contrôlé.',
      noChecksOf: 'Cette adresse n’a pas encore été contrôlée.',
      only: 'Seulement les contrôles de cette adresse',
      filter: 'Montrer ses contrôles',
      all: 'Montrer tous les contrôles',
      text: 'Demande comme un service le fait : la liste de sanctions, les services de filtrage, les adresses de cette liste, puis la valeur par défaut. Le contrôle est enregistré.',
      address: 'Adresse à contrôler',
      check: 'Contrôler l’adresse',
      checking: 'Contrôle…',
      id: 'Identifiant d’un contrôle enregistré',
      show: 'Montrer le contrôle',
      recorded: 'Contrôle enregistré',
      approved: 'approuvée',
      refused: 'non approuvée',
      checked: 'Adresse',
      theAddress: 'l’adresse',
      decided: 'Décidé par',
      at: 'Contrôlé',
      version: 'Version de la liste d’ici',
      sanctions: 'Liste de sanctions',
      none: 'aucune n’était chargée',
      hash: 'Empreinte',
      theHash: 'l’empreinte',
      limits:
        'L’empreinte est celle de ce qui est affiché, mais la même réponse de la passerelle apporte les deux. Elle montre seulement que la réponse n’a pas changé depuis que son empreinte a été remise à quelqu’un : comparez-la à la sienne. Qui a décidé, et l’identifiant, n’en font pas partie.',
    },
  },
);

/** Why an address is approved or not. Total over the gateway's reasons. */
const REASONS: Readonly<Record<EnumOf<'CheckReason'>, string>> = texts(
  {
    approved: 'It is approved, and no screening step objects.',
    not_approved: 'It is not listed, and addresses that are not listed are not approved.',
    revoked: 'It was revoked here.',
    sanctioned: 'A screening step names it.',
    screening_unavailable: 'A screening step did not answer. Check the address again later.',
    unknown_application: 'The application does not exist, and nothing was screened.',
  },
  {
    fr: {
      approved: 'Elle est approuvée, et aucune étape de filtrage n’objecte.',
      not_approved: 'Elle n’est pas dans la liste, et ce qui n’y est pas n’est pas approuvé.',
      revoked: 'Elle a été révoquée ici.',
      sanctioned: 'Une étape de filtrage la nomme.',
      screening_unavailable: 'Une étape de filtrage n’a pas répondu. Contrôlez-la plus tard.',
      unknown_application: 'Cette application n’existe pas, et rien n’a été filtré.',
    },
  },
);
const STEPS: Readonly<Record<EnumOf<'CheckStep'>, string>> = texts(
  {
    application: 'the application',
    sanctions_list: 'the sanctions list',
    screening_service: 'the screening service',
    address_list: 'the addresses listed here',
    default: 'the default for addresses that are not listed',
  },
  {
    fr: {
      application: 'l’application',
      sanctions_list: 'la liste de sanctions',
      screening_service: 'le service de filtrage',
      address_list: 'les adresses de cette liste',
      default: 'ce qui vaut hors de la liste',
    },
  },
);

/** Tries an address as a backend does, and shows a recorded check with its hash computed here. */
export function Checks({ app }: { readonly app: string }) {
  const { check } = useSearch({ from: '/signed-in/a/$app/addresses' });
  const [atFirst] = useState(check);
  const navigate = useNavigate({ from: '/a/$app/addresses' });
  const ids = useEvery(['applications', 'check'], CHECK_IDS, {}, ({ applications }) => applications);
  const checkApplicationId = ids.data?.find(({ foreignId }) => foreignId === app)?.checkApplicationId;
  // The filter of the list below stays.
  const show = (id: string) =>
    void navigate({ search: (before) => ({ ...before, check: id }), resetScroll: false });
  const action = useAction(
    (address: string) =>
      run(CHECK_ADDRESS, {
        input: { address, network: 'solana', checkApplicationId: checkApplicationId ?? '' },
      }),
    [['addressChecks', app]],
  );
  const [isListed, setListed] = useState(false);
  return (
    <Card title={words.title}>
      <p className="soft">{words.text}</p>
      {checkApplicationId != null && (
        <Form
          problem={action.problem}
          className="row end-aligned"
          onSubmit={(values) =>
            void action.run(values.text('address').trim(), ({ checkAddress }) => show(checkAddress.checkId))
          }
        >
          <Field name="address" label={words.address} isMono isRequired />
          <Button type="submit" busy={action.isRunning && words.checking}>
            {words.check}
          </Button>
        </Form>
      )}
      <Form
        key={check}
        problem={undefined}
        className="row end-aligned"
        onSubmit={(values) => show(values.text('id').trim())}
      >
        <Field
          name="id"
          label={words.id}
          isMono
          isRequired
          pattern="\s*chk_[0-9a-z]+\s*"
          defaultValue={check ?? ''}
        />
        <Button type="submit">{words.show}</Button>
      </Form>
      {check !== undefined && <Recorded key={check} id={check} isAsked={check !== atFirst} />}
      <details onToggle={({ currentTarget }) => setListed(currentTarget.open)}>
        <summary>{words.list}</summary>
        {isListed && (
          <div className="stack">
            <RecordedChecks app={app} />
          </div>
        )}
      </details>
    </Card>
  );
}

function RecordedChecks({ app }: { readonly app: string }) {
  // Not in the page's URL, which must not contain a customer's address.
  const [address, setAddress] = useState('');
  const pages = usePages(
    ['addressChecks', app],
    RECORDED_CHECKS,
    { foreignId: app, ...(address === '' ? {} : { address }) },
    ({ addressChecks }) => addressChecks,
  );
  return (
    <>
      <Form
        key={address}
        problem={undefined}
        className="row end-aligned"
        onSubmit={(values) => setAddress(values.text('only').trim())}
      >
        <Field name="only" label={words.only} isMono isRequired defaultValue={address} />
        <Button type="submit">{words.filter}</Button>
        {address !== '' && (
          <Button variant="quiet" onPress={() => setAddress('')}>
            {words.all}
          </Button>
        )}
      </Form>
      <Listing pages={pages} empty={address === '' ? words.noChecks : words.noChecksOf}>
        {(nodes) => (
          <ul className="list" aria-label={words.list}>
            {nodes.map(({ id, address, approved, reason, checkedAt }) => (
              <li key={id} className="item">
                <div>
                  <Link
                    from="/a/$app/addresses"
                    to="."
                    search={(before) => ({ ...before, check: id })}
                    resetScroll={false}
                  >
                    <Code value={address} ends={10} />
                  </Link>
                  <p className="soft">{REASONS[reason]}</p>
                </div>
                <div className="item-end">
                  <Badge tone={approved ? 'good' : 'bad'}>{approved ? words.approved : words.refused}</Badge>
                  <span className="soft">
                    <Time at={checkedAt} isExact />
                  </span>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Listing>
    </>
  );
}

/** A recorded check. One that a person requested on this page takes the focus, because the pressed button is gone. */
function Recorded({ id, isAsked }: { readonly id: string; readonly isAsked: boolean }) {
  const reading = useRead(['addressCheck', id], ADDRESS_CHECK, { id });
  const result = useRef<HTMLElement>(null);
  const isThere = reading.data !== undefined;
  useEffect(() => {
    if (isAsked && isThere) result.current?.focus();
  }, [isAsked, isThere]);
  return (
    <Await reading={reading} lines={4}>
      {({ data: { addressCheck: check } }) => (
        <section ref={result} tabIndex={-1} className="stack" aria-label={words.recorded}>
          <div className="row between">
            <Badge tone={check.approved ? 'good' : 'bad'}>
              {check.approved ? words.approved : words.refused}
            </Badge>
            <HashMark check={check} />
          </div>
          <p>{REASONS[check.reason]}</p>
          <Facts>
            <Fact name={words.checked}>
              <Code value={check.address} ends={10} what={words.theAddress} />
            </Fact>
            <Fact name={words.decided}>{STEPS[check.decidedBy]}</Fact>
            <Fact name={words.at}>
              <Time at={check.checkedAt} isExact />
            </Fact>
            <Fact name={words.version}>{check.policyVersion ?? <None />}</Fact>
            <Fact name={words.sanctions}>{check.listVersion ?? words.none}</Fact>
            <Fact name={ID_WORDS.id}>
              <Code value={check.id} what={ID_WORDS.theId} />
            </Fact>
            <Fact name={words.hash}>
              <Code value={check.metadataHash} ends={10} what={words.theHash} />
            </Fact>
          </Facts>
        </section>
      )}
    </Await>
  );
}

type RecordedCheck = GrantedOf<typeof ADDRESS_CHECK>['addressCheck'];

/** The hash of an answer can contradict the answer that brings it. It cannot prove it. */
function HashMark({ check }: { readonly check: RecordedCheck }) {
  const state = useVerdict({ ask: 'digest', value: hashed(check), sha256: check.metadataHash });
  const holds = state.kind === 'verdict' && state.verdict.holds;
  return (
    <Mark of={words.recorded} state={holds ? { kind: 'not checkable', because: words.limits } : state} />
  );
}

/** What the hash of a check is made of. */
const hashed = (check: RecordedCheck) => ({
  network: check.network,
  address: check.address,
  applicationId: check.checkApplicationId,
  approved: check.approved,
  reason: check.reason,
  policyVersion: check.policyVersion,
  listVersion: check.listVersion,
  checkedAt: check.checkedAt,
});
