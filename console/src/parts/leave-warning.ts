/** A question of the browser before a page goes away with what is shown once. */
import { useEffect } from 'react';

export function useLeaveWarning(warns: boolean): void {
  useEffect(() => {
    if (!warns) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [warns]);
}
