import { useQuery } from '@tanstack/react-query';
import { ApiFailure } from './call.ts';
import { useSession } from './session-context.ts';
import type { AnswerOf, Schema } from './shapes.ts';
import { type Api, useApi, useOrganization } from './use-api.ts';

/** A sending number of the organization, as far as the caller may know it. */
export interface OwnNumber {
  id: string;
  /** Digits with country code; null if the key may not read the number. */
  phone: string | null;
  name: string | null;
  wabaId: string | null;
}

/** Returns the numbers of the organization that the pages show. */
export function useNumbers() {
  const api = useApi();
  const session = useSession();
  const organization = useOrganization();
  return useQuery({
    queryKey: ['numbers', organization],
    enabled: organization !== undefined,
    staleTime: 60_000,
    queryFn: async (): Promise<OwnNumber[]> => {
      if (session.kind === 'operator') return readAsOperator(api, organization ?? '');
      if (session.numbers !== null) return Promise.all(session.numbers.map((id) => readNode(api, id)));
      return readByTemplates(api);
    },
  });
}

async function readAsOperator(api: Api, organization: string): Promise<OwnNumber[]> {
  const { data } = await api.get<AnswerOf<'listWabas'>>(`/admin/v1/organizations/${organization}/wabas`);
  return data.flatMap(({ waba_id, numbers }) =>
    numbers.map(({ phone_number_id, phone_number }) => ({
      id: phone_number_id,
      phone: phone_number,
      name: null,
      wabaId: waba_id,
    })),
  );
}

async function readNode(api: Api, id: string): Promise<OwnNumber> {
  const node = await allowed(api.get<Schema<'PhoneNumberNode'>>(`/v1/${id}`));
  return {
    id,
    phone: node?.display_phone_number?.replace(/\D/g, '') ?? null,
    name: node?.verified_name ?? null,
    wabaId: null,
  };
}

/** Finds the numbers of a key without limits: its templates name the business accounts, which list their numbers. */
async function readByTemplates(api: Api): Promise<OwnNumber[]> {
  const templates = await allowed(api.get<AnswerOf<'listTemplates'>>('/v1/templates', { limit: 1000 }));
  const wabas = [...new Set((templates?.data ?? []).map(({ waba_id }) => waba_id))];
  const lists = await Promise.all(
    wabas.map(async (wabaId) => {
      type List = { data: Schema<'PhoneNumberNode'>[] };
      const list = await allowed(api.get<List>(`/v1/${wabaId}/phone_numbers`));
      return (list?.data ?? []).map((node) => ({
        id: node.id,
        phone: node.display_phone_number?.replace(/\D/g, '') ?? null,
        name: node.verified_name ?? null,
        wabaId,
      }));
    }),
  );
  return lists.flat();
}

/** Returns undefined in place of an answer that the key's scopes do not permit. */
async function allowed<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiFailure && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

/** Returns the options of a choice of numbers. */
export function numberOptions(numbers: readonly OwnNumber[] | undefined, chosen?: string) {
  const options = (numbers ?? []).map(({ id, phone, name }) => ({
    value: id,
    label: [phone === null ? id : withPlus(phone), name].filter(Boolean).join(' · '),
  }));
  if (chosen && !options.some(({ value }) => value === chosen)) options.push({ value: chosen, label: chosen });
  return options;
}

/** Adds the plus to digits. A masked number stays as it is. */
export function withPlus(phone: string): string {
  return /^\d/.test(phone) ? `+${phone}` : phone;
}
