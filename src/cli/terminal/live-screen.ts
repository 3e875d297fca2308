const ESCAPE = '\u001b[';
/** Switches to the alternate screen, hides the cursor, and cuts long lines: a wrapped line would move all others. */
const ENTER = `${ESCAPE}?1049h${ESCAPE}?25l${ESCAPE}?7l`;
const LEAVE = `${ESCAPE}?7h${ESCAPE}?25h${ESCAPE}?1049l`;
const HOME_AND_CLEAR = `${ESCAPE}H${ESCAPE}J`;
const TERMINATED = 128 + 15;

/** Returns the lines of one frame, which fit `columns` of the terminal if they can. */
export type RenderFrame = () => Promise<readonly string[]>;

/** Text on the whole terminal that is redrawn in place, also after a resize. `close` restores the terminal and leaves the last frame on it. */
export class LiveScreen {
  #render: RenderFrame = async () => [];
  readonly #onResize = () => void this.#paint();
  readonly #onTerminated = () => {
    process.stdout.write(LEAVE);
    process.exit(TERMINATED);
  };

  constructor() {
    process.stdout.write(ENTER);
    process.stdout.on('resize', this.#onResize);
    process.once('SIGTERM', this.#onTerminated);
  }

  /** Shows a frame. */
  async draw(render: RenderFrame): Promise<void> {
    this.#render = render;
    await this.#paint();
  }

  async close(): Promise<void> {
    process.stdout.off('resize', this.#onResize);
    process.off('SIGTERM', this.#onTerminated);
    process.stdout.write(LEAVE);
    process.stdout.write(`${(await this.#render()).join('\n')}\n`);
  }

  async #paint(): Promise<void> {
    const lines = await this.#render();
    const rows = process.stdout.rows;
    const shown =
      lines.length <= rows ? lines : [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`];
    process.stdout.write(HOME_AND_CLEAR + shown.join('\n'));
  }
}
