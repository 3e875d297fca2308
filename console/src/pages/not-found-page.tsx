import { ButtonLink } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../preferences/preferences.tsx';

export function NotFoundPage() {
  const { shell } = useTexts();
  return (
    <Page title={shell.notFoundTitle} intro={shell.notFound}>
      <div>
        <ButtonLink to="/">{shell.home}</ButtonLink>
      </div>
    </Page>
  );
}

/** Stands in place of a page that is for another role, or for a key with more scopes. */
export function ForeignPage() {
  const { shell } = useTexts();
  return (
    <Page title={shell.foreignTitle} intro={shell.foreign}>
      <div>
        <ButtonLink to="/">{shell.home}</ButtonLink>
      </div>
    </Page>
  );
}
