/**
 * The live tree: every machine of the run, with the state that it is in. It is built from XState's inspection
 * events alone: a snapshot tells the state of an actor and who its children are.
 */
import type { AnyActorRef, InspectionEvent } from 'xstate'
import type { Terminal } from './terminal.ts'

interface Node {
  readonly ref: AnyActorRef
  state: string
  isDone: boolean
  parent?: Node
  readonly children: Node[]
}

export class ActorTree {
  readonly #terminal: Terminal
  readonly #nodes = new Map<AnyActorRef, Node>()
  readonly #notes = new Map<string, string>()
  readonly #changed = new Set<Node>()
  /** Lines that wait while something else is written. */
  #held: string[] = []
  #isScheduled = false
  #isPaused = false

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** For `createTroupe({ inspect })`. */
  readonly inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.snapshot') return
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
    const state = stateName(snapshot.value)
    if (node.state === state) return
    node.state = state
    node.isDone = snapshot.status === 'done'
    this.#changed.add(node)
    this.#schedule()
  }

  /** Something worth saying about the actor at `path`. */
  note(path: string, text: string): void {
    this.#notes.set(path, text)
    if (this.#terminal.isLive) this.#schedule()
    else this.#terminal.print(fitted(`  ${path}  ${text}`, this.#terminal.columns))
  }

  /** Keeps quiet while something else is written. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#show()
  }

  /** Prints the whole tree for good. */
  finish(): void {
    this.resume()
    this.pause()
    for (const root of this.#roots()) {
      for (const line of this.#lines(root, '', '', true)) this.#terminal.print(line)
    }
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
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#show()
    })
  }

  #show(): void {
    if (!this.#terminal.isLive) this.#held.push(...this.#changes())
    this.#changed.clear()
    if (this.#isPaused) return
    if (this.#terminal.isLive) {
      this.#terminal.draw(this.#roots().flatMap((root) => this.#lines(root, '', '', false)))
    } else {
      for (const line of this.#held) this.#terminal.print(line)
      this.#held = []
    }
  }

  /** A line for each change: ends first, from the leaves up, and then what follows from them. */
  #changes(): string[] {
    const ended = [...this.#changed].filter((node) => node.isDone).toSorted((a, b) => depth(b) - depth(a))
    const active = this.#roots()
      .flatMap(descendants)
      .filter((node) => this.#changed.has(node) && !node.isDone)
    return [...ended, ...active].map((node) => this.#label(node, pathOf(node)))
  }

  #roots(): Node[] {
    return [...this.#nodes.values()].filter((node) => node.parent === undefined && node.state !== '')
  }

  /** The lines of an actor and its descendants; unless `all`, an actor that has ended stands for its own. */
  #lines(node: Node, first: string, rest: string, all: boolean): string[] {
    const children = node.isDone && !all ? [] : node.children.filter((child) => child.state !== '')
    return [
      first + this.#label(node, node.ref.id, this.#terminal.columns - first.length - 1),
      ...children.flatMap((child, index) =>
        index === children.length - 1
          ? this.#lines(child, `${rest}└─ `, `${rest}   `, all)
          : this.#lines(child, `${rest}├─ `, `${rest}│  `, all),
      ),
    ]
  }

  /** With its note where there is room. */
  #label(node: Node, name: string, room = 0): string {
    const { style, mark } = looks(node)
    const note = this.#notes.get(pathOf(node)) ?? ''
    const shown = fitted(note, room - `${mark} ${name} ${node.state}  `.length)
    const label = `${mark} ${name} ${this.#terminal.style(style, node.state)}`
    return shown === '' ? label : `${label}  ${this.#terminal.style('dim', shown)}`
  }
}

function fitted(text: string, room: number): string {
  if (text.length <= room) return text
  return room < 10 ? '' : `${text.slice(0, room - 1)}…`
}

function looks({ isDone, state }: Node) {
  if (!isDone) return { style: 'cyan', mark: '●' } as const
  return ['succeeded', 'completed', 'passed', 'bailed'].includes(state)
    ? ({ style: 'green', mark: '✓' } as const)
    : ({ style: 'yellow', mark: '✗' } as const)
}

/** `{ thinking: 'calling' }` is shown as `thinking.calling`. */
function stateName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name}.${stateName(inner)}`)
    .join(' + ')
}

function depth(node: Node): number {
  return node.parent === undefined ? 0 : depth(node.parent) + 1
}

function pathOf(node: Node): string {
  return node.parent === undefined ? node.ref.id : `${pathOf(node.parent)}/${node.ref.id}`
}

function descendants(node: Node): Node[] {
  return [node, ...node.children.flatMap(descendants)]
}
