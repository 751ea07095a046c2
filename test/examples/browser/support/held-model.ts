/**
 * A model server that speaks the script of an example word by word, and stops behind a word until the test lets it go on: a
 * page is then in the midst of an answer for as long as the test needs.
 */
import type { ServerResponse } from 'node:http'
import { turnOf, type Script, type ScriptedReply } from '../../../../examples/support/scripted-server.ts'
import { event, startFaultServer, type FaultServer } from '../../../support/fault-server.ts'

type Request = Parameters<typeof turnOf>[0]

export class HeldModel implements AsyncDisposable {
  readonly #server: FaultServer
  #word: string | undefined
  #isFree = Promise.withResolvers<void>()

  private constructor(server: FaultServer) {
    this.#server = server
  }

  static async open(script: Script): Promise<HeldModel> {
    const server = await startFaultServer()
    const model = new HeldModel(server)
    server.answer = async (response) => {
      const request = server.requests.at(-1)?.body as Request
      const system = JSON.stringify(request.messages[0])
      const [, reply] = Object.entries(script).find(([phrase]) => system.includes(phrase)) ?? []
      if (reply === undefined) throw new Error(`The script has no reply for ${system}.`)
      await model.#speak(response, await reply(turnOf(request)))
    }
    return model
  }

  /** How many requests have come in. */
  get requests(): number {
    return this.#server.requests.length
  }

  /** With this environment, a process has this model. */
  get environment(): Readonly<Record<string, string>> {
    return { OPENAI_BASE_URL: this.#server.url, OPENAI_API_KEY: 'scripted', OPENAI_MODEL: 'scripted' }
  }

  /** Replies stop behind the first word that is this one, until `release`. */
  holdBehind(word: string): void {
    this.#word = word
    this.#isFree = Promise.withResolvers()
  }

  release(): void {
    this.#word = undefined
    this.#isFree.resolve()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release()
    await this.#server.close()
  }

  async #speak(response: ServerResponse, reply: ScriptedReply): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (delta: object, finish_reason: string | null = null) =>
      response.write(event({ choices: [{ index: 0, delta, finish_reason }] }))
    if (typeof reply === 'string') {
      for (const word of reply.split(/(?<= )/)) {
        send({ content: word })
        if (word.trim() === this.#word) await this.#isFree.promise
      }
      send({}, 'stop')
    } else {
      const calls = reply.map(({ name, args }, index) => ({
        index,
        id: `call_${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      }))
      send({ tool_calls: calls })
      send({}, 'tool_calls')
    }
    response.end(event('[DONE]'))
  }
}
