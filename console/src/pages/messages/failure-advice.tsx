import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ERRORS_PAGE, findAdvice } from '../../../../src/core/catalogue/find-advice.ts';
import { ApiFailure, readText } from '../../api/call.ts';
import { gatewayPath } from '../../api/paths.ts';
import { useTexts } from '../../preferences/preferences.tsx';

/** Says why a message failed and what to do, from the error catalogue or the list of the platform's codes. */
export function FailureAdvice({ code, message }: { code: string; message: string | null }) {
  const { messages } = useTexts();
  const page = useQuery({ queryKey: ['errors-page'], staleTime: Number.POSITIVE_INFINITY, queryFn: readErrorsPage });
  const ofPlatform = messages.platformCodes[code];
  const advice = findAdvice(page.data ?? '', code);
  return (
    <Alert color="var(--fairway-bad)" variant="outline" title={`${messages.one.failed}: ${code}`}>
      <Stack gap="xs">
        {message !== null && <Text size="sm">{message}</Text>}
        {ofPlatform !== undefined && <Text size="sm">{ofPlatform}</Text>}
        {plainParagraphs(advice ?? '').map((paragraph) => (
          <Text size="sm" key={paragraph}>
            {paragraph}
          </Text>
        ))}
        {advice === undefined ? (
          <Text size="sm" c="dimmed">
            {messages.one.platformCode}{' '}
            <Anchor inherit underline="always" href={gatewayPath('/docs/errors')} target="_blank">
              {messages.one.docs}
            </Anchor>
          </Text>
        ) : (
          <Anchor size="sm" href={gatewayPath(`/docs/errors#${code}`)} target="_blank">
            {messages.one.docs}
          </Anchor>
        )}
      </Stack>
    </Alert>
  );
}

/** Reads the catalogue; an empty text if the gateway serves no reference. */
async function readErrorsPage(): Promise<string> {
  try {
    return await readText(ERRORS_PAGE);
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return '';
    throw error;
  }
}

/** Returns the meaning and the next step without marks of Markdown and without the list of operations. */
function plainParagraphs(markdown: string): string[] {
  return markdown
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '' && !/^(?:HTTP |`error_code`|\*\*Answered by)/.test(paragraph))
    .map((paragraph) => paragraph.replace(/\*\*|`/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
}
