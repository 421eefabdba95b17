import { Link } from '@tanstack/react-router';
import { holds, holdsOwner } from '../app/places.ts';
import { useViewer } from '../app/session';
import { Code } from '../design/values';
import { graphql } from '../graphql/document';
import { useEvery, useRead } from '../graphql/hooks';

const MEMBER_NAMES = graphql(`
  query MemberNames {
    members(first: 200) {
      nodes {
        id
        name
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);
const MEMBER_NAME = graphql(`
  query MemberName($id: ID!) {
    member(id: $id) {
      name
    }
  }
`);
const KEY_NAMES = graphql(`
  query ApiKeyNames($after: String) {
    apiKeys(first: 200, after: $after) {
      nodes {
        id
        name
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const ASSET_NAME = graphql(`
  query AssetName($id: ID!) {
    asset(id: $id) {
      name
      symbol
    }
  }
`);
const CASE_NAME = graphql(`
  query CaseName($foreignId: String!, $id: ID!) {
    case(foreignId: $foreignId, id: $id) {
      reason
    }
  }
`);
const REQUEST_NAME = graphql(`
  query CaseRequestName($foreignId: String!, $id: ID!) {
    caseRequest(foreignId: $foreignId, id: $id) {
      reason
    }
  }
`);
const HOLD_NAMES = graphql(`
  query LegalHoldNames {
    retention {
      legalHolds {
        id
        reason
      }
    }
  }
`);

interface Named {
  readonly id: string;
}

/**
 * The name of an object with its id, if the viewer may read the name. Without the permission, no request is sent. If the
 * gateway does not return a name, such as another auditor's case, only the id is shown. Cases and requests belong to the
 * application `app`.
 */
export function Name({
  id,
  app,
  isLink = false,
}: Named & {
  readonly app?: string | undefined;
  /** The name of a case leads to it. */
  readonly isLink?: boolean;
}) {
  const { user, permissions } = useViewer();
  if (id === user?.id) return <Shown id={id} name={user.name} />;
  switch (id.slice(0, 4)) {
    case 'usr_':
      if (holdsOwner(permissions, 'members:manage')) return <Member id={id} />;
      break;
    case 'key_':
      if (holdsOwner(permissions, 'api_keys:manage')) return <ApiKey id={id} />;
      break;
    case 'ast_':
      if (holdsOwner(permissions, 'applications:read')) return <Asset id={id} />;
      break;
    case 'hld_':
      if (holdsOwner(permissions, 'policies:manage')) return <LegalHold id={id} />;
      break;
    case 'cas_':
      if (
        app !== undefined &&
        (holds(permissions, app, 'administrator', 'cases:list') ||
          holds(permissions, app, 'administrator', 'cases:approve_creation') ||
          holds(permissions, app, 'auditor', 'reports:view_transactions'))
      )
        return <Case id={id} app={app} isLink={isLink} />;
      break;
    case 'crq_':
      if (app !== undefined && holds(permissions, app, 'administrator', 'cases:approve_creation'))
        return <CaseRequest id={id} app={app} />;
      break;
  }
  return <Shown id={id} name={undefined} />;
}

function Shown({ id, name }: Named & { readonly name: string | undefined }) {
  const code = <Code value={id} ends={6} />;
  if (name === undefined) return code;
  return (
    <>
      {name} <span className="soft">{code}</span>
    </>
  );
}

const nameIn = (nodes: readonly { readonly id: string; readonly name: string }[] | undefined, id: string) =>
  nodes?.find((node) => node.id === id)?.name;

/** Many members are read together. Others are requested one by one. */
function useMemberName(id: string): string | undefined {
  const many = useRead(['members', 'names'], MEMBER_NAMES, {}).data?.data.members;
  const name = nameIn(many?.nodes, id);
  const enabled = many?.pageInfo.hasNextPage === true && name === undefined;
  const one = useRead(['members', id, 'name'], MEMBER_NAME, { id }, { enabled });
  return name ?? (enabled && !one.error ? one.data?.data.member.name : undefined);
}

/** Whether the person is currently a member, for readers with the permission. */
export const useIsMember = (id: string): boolean => useMemberName(id) !== undefined;

function Member({ id }: Named) {
  return <Shown id={id} name={useMemberName(id)} />;
}

function ApiKey({ id }: Named) {
  const { data } = useEvery(['apiKeys', 'names'], KEY_NAMES, {}, ({ apiKeys }) => apiKeys);
  return <Shown id={id} name={nameIn(data, id)} />;
}

function Asset({ id }: Named) {
  const asset = useRead(['asset', id, 'name'], ASSET_NAME, { id }).data?.data.asset;
  return <Shown id={id} name={asset && `${asset.name} (${asset.symbol})`} />;
}

function LegalHold({ id }: Named) {
  const { data } = useRead(['retention', 'names'], HOLD_NAMES, {});
  const hold = data?.data.retention.legalHolds.find((one) => one.id === id);
  return <Shown id={id} name={hold?.reason} />;
}

function Case({ id, app, isLink }: Named & { readonly app: string; readonly isLink: boolean }) {
  const { data } = useRead(['case', app, id, 'name'], CASE_NAME, { foreignId: app, id });
  const reason = data?.data.case.reason;
  if (!isLink || reason === undefined) return <Shown id={id} name={reason} />;
  return (
    <Link to="/a/$app/cases/$id" params={{ app, id }}>
      {reason}
    </Link>
  );
}

function CaseRequest({ id, app }: Named & { readonly app: string }) {
  const { data } = useRead(['caseRequest', app, id, 'name'], REQUEST_NAME, { foreignId: app, id });
  return <Shown id={id} name={data?.data.caseRequest.reason} />;
}
