/**
 * The live region of a terminal: every agent and tool call that is at work, with what it does. It is built from XState's
 * inspection events alone: a snapshot has the state of an actor, and its children.
 */
import type { AnyActorRef, InspectionEvent } from 'xstate'
import type { Terminal } from './terminal.ts'
import { nameInWords, stateInWords } from './words.ts'

interface Node {
  readonly ref: AnyActorRef
  /** The outermost state of its machine. */
  state: string
  isDone: boolean
  parent?: Node
  readonly children: Node[]
}

export class ActorTree {
  readonly #terminal: Terminal
  readonly #nodes = new Map<AnyActorRef, Node>()
  readonly #names = new Map<string, string>()
  #isScheduled = false
  #isPaused = false

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** For `createTroupe({ inspect })`. */
  readonly inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.snapshot' || !this.#terminal.isLive) return
    const snapshot = event.snapshot as {
      readonly status: string
      readonly value?: unknown
      readonly children?: Readonly<Record<string, AnyActorRef | undefined>>
    }
    if (snapshot.value === undefined) return // not a machine: the run itself, or an effect
    const node = this.#nodeOf(event.actorRef as AnyActorRef)
    for (const ref of Object.values(snapshot.children ?? {})) {
      if (ref !== undefined) this.#adopt(node, ref)
    }
    node.state = outermost(snapshot.value)
    node.isDone = snapshot.status === 'done'
    this.#schedule()
  }

  /** The name of the tool that is called by the actor at `path`. */
  name(path: string, name: string): void {
    this.#names.set(path, name)
    this.redraw()
  }

  /** Something was written above it. */
  redraw(): void {
    this.#schedule()
  }

  /** Keeps quiet while something else is written. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#show()
  }

  /** Leaves the terminal to others. */
  finish(): void {
    this.pause()
    this.#terminal.erase()
  }

  #nodeOf(ref: AnyActorRef): Node {
    const known = this.#nodes.get(ref)
    if (known !== undefined) return known
    const node: Node = { ref, state: '', isDone: false, children: [] }
    this.#nodes.set(ref, node)
    return node
  }

  #adopt(parent: Node, ref: AnyActorRef): void {
    const child = this.#nodeOf(ref)
    if (child.parent !== undefined) return
    child.parent = parent
    parent.children.push(child)
  }

  /** A microtask later the actors agree with each other. */
  #schedule(): void {
    if (this.#isScheduled || !this.#terminal.isLive) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#show()
    })
  }

  #show(): void {
    if (this.#isPaused || !this.#terminal.isLive) return
    const roots = [...this.#nodes.values()].filter((node) => node.parent === undefined && node.state !== '')
    this.#terminal.draw(roots.flatMap((root) => this.#lines(root, '', '')))
  }

  #lines(node: Node, first: string, rest: string): string[] {
    if (node.isDone) return []
    const children = atWork(node)
    return [
      first + this.#label(node),
      ...children.flatMap((child, index) =>
        index === children.length - 1
          ? this.#lines(child, `${rest}└─ `, `${rest}   `)
          : this.#lines(child, `${rest}├─ `, `${rest}│  `),
      ),
    ]
  }

  #label(node: Node): string {
    const [kind = ''] = node.ref.id.split(':')
    const name = this.#names.get(pathOf(node)) ?? nameInWords(kind)
    return `● ${name} ${this.#terminal.style('cyan', stateInWords(kind, node.state))}`
  }
}

/** The actors below a node that are at work. An agent stands for the delegation that it carries out. */
function atWork({ children }: Node): readonly Node[] {
  return children.flatMap((child) => {
    if (child.isDone || child.state === '') return []
    return child.ref.id.startsWith('delegation:') ? atWork(child) : [child]
  })
}

/** `{ thinking: 'calling' }`: thinking. */
function outermost(value: unknown): string {
  return typeof value === 'object' && value !== null ? (Object.keys(value)[0] ?? '') : String(value)
}

function pathOf(node: Node): string {
  return node.parent === undefined ? node.ref.id : `${pathOf(node.parent)}/${node.ref.id}`
}
