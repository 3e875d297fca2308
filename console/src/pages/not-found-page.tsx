import { ButtonLink } from '../parts/link.tsx';
import { Empty } from '../parts/states.tsx';
import { useTexts } from '../preferences/preferences.tsx';

export function NotFoundPage() {
  const { shell } = useTexts();
  return (
    <Empty title={shell.notFoundTitle} action={<ButtonLink to="/">{shell.home}</ButtonLink>}>
      {shell.notFound}
    </Empty>
  );
}
