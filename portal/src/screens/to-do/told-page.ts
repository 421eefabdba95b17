import { toldNow } from '../../design/countdown';

/** Each page of a whole list is told at its own time. */
export const toldPage = <Node extends object, Info>(page: {
  readonly nodes: readonly Node[];
  readonly pageInfo: Info;
}) => {
  const told = toldNow();
  return { nodes: page.nodes.map((node) => ({ ...node, told })), pageInfo: page.pageInfo };
};
