import { receivedNow } from '../../design/time-left.ts';

/** Each page of a whole list is received at its own time. */
export const receivedPage = <Node extends object, Info>(page: {
  readonly nodes: readonly Node[];
  readonly pageInfo: Info;
}) => {
  const received = receivedNow();
  return { nodes: page.nodes.map((node) => ({ ...node, received })), pageInfo: page.pageInfo };
};
