/** A program in a process of its own that is talked to while it runs, and stopped or killed as the test likes. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What a program says: plain data with a `type`. */
interface Said {
  readonly type: string
}

export class Forked<News extends Said> implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #news: News[] = []
  readonly #ended: Promise<void>
  #listeners: (() => void)[] = []
  #hasEnded = false
  stderr = ''

  /** Runs the file on the same Node, with the modules in `dist`. `flags`: flags for Node. */
  constructor(file: string, args: readonly string[], flags: readonly string[] = []) {
    this.#child = fork(file, args, {
      execArgv: [...flags],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const { stderr } = this.#child
    stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.#child.on('message', (news) => {
      this.#news.push(news as News)
      this.#wake()
    })
    // Not "close": it does not come when this side has hung up.
    this.#ended = this.#end([once(this.#child, 'exit'), stderr && once(stderr, 'close')])
  }

  async #end(signs: readonly unknown[]): Promise<void> {
    await Promise.all(signs)
    this.#hasEnded = true
    this.#wake()
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** What it has said so far. */
  get news(): readonly News[] {
    return this.#news
  }

  /** The first thing of this type that it says, or has said. Rejects when it ends without. */
  async hears<Type extends News['type']>(
    type: Type,
    fits: (news: Extract<News, { type: Type }>) => boolean = () => true,
  ): Promise<Extract<News, { type: Type }>> {
    const isIt = (news: News): news is Extract<News, { type: Type }> =>
      news.type === type && fits(news as Extract<News, { type: Type }>)
    for (let next = 0; ; next++) {
      while (next >= this.#news.length) {
        if (this.#hasEnded) throw new Error(`It ended without saying "${type}". ${this.stderr}`)
        await new Promise<void>((resolve) => this.#listeners.push(resolve))
      }
      const news = this.#news[next]
      if (news !== undefined && isIt(news)) return news
    }
  }

  tell(what: object): void {
    this.#child.send(what)
  }

  /** SIGSTOP: it stands still, wherever it is. */
  stop(): void {
    this.#child.kill('SIGSTOP')
  }

  /** SIGCONT: it goes on, and does not know that time has passed. */
  go(): void {
    this.#child.kill('SIGCONT')
  }

  /** SIGKILL, also of one that stands still. Settles when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** Lets it end by itself: a program ends when nobody is there to talk to. */
  async leave(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) await this.kill()
  }

  #wake(): void {
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener()
  }
}
