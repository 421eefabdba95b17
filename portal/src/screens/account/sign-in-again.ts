import { useNavigate } from '@tanstack/react-router';
import { endInAllTabs } from '../../app/session';

/** After a change of how somebody signs in, which ended every session of theirs: the sign-in page says why. */
export function useSignInAgain(): () => void {
  const navigate = useNavigate();
  return () => {
    endInAllTabs();
    void navigate({ to: '/sign-in', search: { next: '/account', ended: 'changed' }, replace: true });
  };
}
