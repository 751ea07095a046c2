/** A connection between a page and its server that a test cuts and restores, as where the process of the server ends. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Inspector } from 'troupe/inspector'

export class Line implements AsyncDisposable {
  /** The address of the page through this line. */
  readonly url: Promise<string>
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((socket) => void this.#join(socket))
  #view: Inspector
  #isCut = false

  constructor(view: Inspector) {
    this.#view = view
    this.url = this.#open()
  }

  /** Ends all connections, and refuses new ones. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Leads to this server from now on. */
  restore(view: Inspector = this.#view): void {
    this.#view = view
    this.#isCut = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const url = new URL(await this.#view.url)
    url.port = String((this.#server.address() as AddressInfo).port)
    return url.href
  }

  async #join(socket: Socket): Promise<void> {
    this.#keep(socket)
    const { port } = new URL(await this.#view.url)
    if (this.#isCut) return void socket.destroy()
    const other = connect(Number(port), '127.0.0.1')
    this.#keep(other)
    socket.pipe(other).pipe(socket)
    socket.once('close', () => other.destroy())
    other.once('close', () => socket.destroy())
  }

  /** An end that is cut off is what the test wants: its error is none. */
  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
}
