/** A worker process: started, killed, started again on the same port, and always ended. */
import { fork, type ChildProcess } from 'node:child_process'

export class WorkerHandle implements AsyncDisposable {
  readonly #program: string
  readonly #options: object
  readonly #onMessage: (message: unknown) => void
  #process: ChildProcess | undefined

  /** `program`: a file that is given `options` as JSON, and sends a message when it listens. */
  constructor(program: string, options: object, onMessage: (message: unknown) => void = () => undefined) {
    this.#program = program
    this.#options = options
    this.#onMessage = onMessage
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const child = fork(this.#program, [JSON.stringify(this.#options)], {
      execArgv: [], // not those of this process: it loads the modules in `dist`
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#process = child
    const onExit = (): void => void child.kill('SIGKILL')
    process.once('exit', onExit)
    child.once('exit', () => process.removeListener('exit', onExit))
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => {
        child.on('message', this.#onMessage)
        resolve()
      })
      child.once('exit', (code) => reject(new Error(`The worker ended with ${code} before it listened.`)))
      child.once('error', reject)
    })
  }

  /** Without a warning: nothing of it can be put in order. */
  async kill(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}
