import { PagedList } from '../pages.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';

/** Members of a business profile that can be changed. */
export interface ProfileChange {
  about?: string;
  address?: string;
  description?: string;
  email?: string;
  /** The handle of an uploaded picture. */
  profile_picture_handle?: string;
  vertical?: string;
  websites?: readonly string[];
}

/** The profile that people see of a number. Only members that were asked for are there. */
export interface Profile extends Omit<ProfileChange, 'profile_picture_handle'> {
  profile_picture_url?: string;
}

/** A QR code and short link that opens a chat with a number. */
export interface QrCode {
  code: string;
  prefilled_message: string;
  deep_link_url: string;
  qr_image_url?: string;
}

/** A person in the platform's answer to a block or its end. */
export interface BlockedUser {
  input?: string;
  wa_id?: string;
  user_id?: string;
}

/** The platform's answer to a block or its end, with the people that were refused. */
export interface BlockResult {
  block_users: {
    added_users?: BlockedUser[];
    removed_users?: BlockedUser[];
    failed_users?: (BlockedUser & { errors?: { code?: number; message?: string }[] })[];
  };
}

interface GraphPage<Item> {
  data: Item[];
  paging?: { next?: string; cursors?: { after?: string } };
}

const PROFILE_FIELDS = 'about,address,description,email,profile_picture_url,websites,vertical';

/** Reads and changes what belongs to a number at the platform, which answers these calls itself. */
export class Numbers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads the profile. `fields` names other members, comma separated. */
  async profile(number: string, { fields = PROFILE_FIELDS, ...options }: CallOptions & { fields?: string } = {}) {
    const path = pathOf(number, 'whatsapp_business_profile');
    const { data } = await this.#transport.body<GraphPage<Profile>>({
      ...options,
      method: 'GET',
      path,
      query: { fields },
    });
    return data[0] ?? {};
  }

  async updateProfile(number: string, change: ProfileChange, options?: CallOptions): Promise<void> {
    const path = pathOf(number, 'whatsapp_business_profile');
    const json = { messaging_product: 'whatsapp', ...change };
    await this.#transport.body({ ...options, method: 'POST', path, json });
  }

  /** Lists the blocked people. */
  blocked(number: string, options?: CallOptions): PagedList<BlockedUser> {
    return this.#list<BlockedUser>(pathOf(number, 'block_users'), options);
  }

  /** Blocks people who have written within 24 hours, by number or user id. */
  block(number: string, people: readonly string[], options?: CallOptions): Promise<BlockResult> {
    return this.#changeBlocks('POST', number, people, options);
  }

  unblock(number: string, people: readonly string[], options?: CallOptions): Promise<BlockResult> {
    return this.#changeBlocks('DELETE', number, people, options);
  }

  /** Lists QR codes, newest first. */
  qrCodes(number: string, options?: CallOptions): PagedList<QrCode> {
    return this.#list<QrCode>(pathOf(number, 'message_qrdls'), options);
  }

  /** Creates a QR code that opens a chat with this text. `image` adds its picture. */
  createQrCode(
    number: string,
    text: string,
    { image, ...options }: CallOptions & { image?: 'PNG' | 'SVG' } = {},
  ): Promise<QrCode> {
    const json = { prefilled_message: text, ...(image !== undefined && { generate_qr_image: image }) };
    return this.#transport.body({ ...options, method: 'POST', path: pathOf(number, 'message_qrdls'), json });
  }

  /** Changes the text of a QR code. */
  updateQrCode(number: string, code: string, text: string, options?: CallOptions): Promise<QrCode> {
    const json = { code, prefilled_message: text };
    return this.#transport.body({ ...options, method: 'POST', path: pathOf(number, 'message_qrdls'), json });
  }

  async deleteQrCode(number: string, code: string, options?: CallOptions): Promise<void> {
    const path = pathOf(number, `message_qrdls/${encodeURIComponent(code)}`);
    await this.#transport.body({ ...options, method: 'DELETE', path });
  }

  #changeBlocks(method: 'POST' | 'DELETE', number: string, people: readonly string[], options?: CallOptions) {
    const block_users = people.map((person) => (/^[A-Z]{2}\./.test(person) ? { user_id: person } : { user: person }));
    const json = { messaging_product: 'whatsapp', block_users };
    return this.#transport.body<BlockResult>({ ...options, method, path: pathOf(number, 'block_users'), json });
  }

  #list<Item>(path: string, options: CallOptions | undefined): PagedList<Item> {
    const read = async (after: string | undefined) => {
      const page = await this.#transport.body<GraphPage<Item>>({ ...options, method: 'GET', path, query: { after } });
      return { data: page.data, next: page.paging?.next === undefined ? null : (page.paging.cursors?.after ?? null) };
    };
    return new PagedList(read);
  }
}

function pathOf(number: string, edge: string): string {
  return `/v1/${encodeURIComponent(number)}/${edge}`;
}
