import { Button, Group, Popover, SegmentedControl, Select, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { usePreferences, useTexts } from '../preferences/preferences.tsx';
import { LANGUAGES } from '../texts/index.ts';

const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch' };

/** Language, time zone and appearance. */
export function PreferencesMenu() {
  const { shell } = useTexts();
  const { language, setLanguage, timeZone, setTimeZone } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const zones = [
    { value: 'local', label: `${shell.timeZoneLocal} (${Intl.DateTimeFormat().resolvedOptions().timeZone})` },
    { value: 'UTC', label: 'UTC' },
    ...Intl.supportedValuesOf('timeZone')
      .filter((zone) => zone !== 'UTC')
      .map((zone) => ({ value: zone, label: zone })),
  ];
  return (
    <Popover position="bottom-end" width={300} withArrow shadow="md" trapFocus>
      <Popover.Target>
        <Button variant="subtle" color="gray" size="compact-sm">
          <Text inherit c="var(--mantine-color-text)">
            {shell.preferences}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack>
          <Group gap="xs" justify="space-between">
            <Text size="sm" fw={500} id="language-label">
              {shell.language}
            </Text>
            <SegmentedControl
              size="xs"
              aria-labelledby="language-label"
              data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
              value={language}
              onChange={setLanguage}
            />
          </Group>
          <Select
            label={shell.timeZone}
            data={zones}
            value={timeZone}
            onChange={(zone) => setTimeZone(zone ?? 'local')}
            searchable
            limit={50}
            comboboxProps={{ withinPortal: false }}
          />
          <div>
            <Text size="sm" fw={500} id="scheme-label">
              {shell.scheme}
            </Text>
            <SegmentedControl
              size="xs"
              fullWidth
              aria-labelledby="scheme-label"
              data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: shell.schemes[value] }))}
              value={colorScheme}
              onChange={setColorScheme}
            />
          </div>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
