import { useRouter } from '@tanstack/react-router';

export const BASE_PATH = '/portal';

/** Goes to a path of the portal that is known as text only, such as the one that asked for a sign-in. */
export function useGo(): (path: string) => void {
  const { history } = useRouter();
  return (path) => history.push(`${BASE_PATH}${path}`);
}
