/**
 * A persistent list: a change gives a new list that shares all but a path of the old one, so that its cost grows with the
 * logarithm of the length alone.
 */
type Node<T> =
  | { readonly type: 'leaf'; readonly values: readonly T[] }
  | { readonly type: 'branch'; readonly nodes: readonly Node<T>[] }

const bits = 5
const width = 2 ** bits

export class Vector<T> {
  static readonly none: Vector<never> = new Vector<never>(0, 0, undefined)

  readonly length: number
  readonly #height: number
  readonly #root: Node<T> | undefined

  private constructor(length: number, height: number, root: Node<T> | undefined) {
    this.length = length
    this.#height = height
    this.#root = root
  }

  /** `index`: from 0 to below the length. */
  at(index: number): T | undefined {
    let node = this.#root
    for (let level = this.#height; node?.type === 'branch'; level--) node = node.nodes[placeAt(index, level)]
    return node?.values[placeAt(index, 0)]
  }

  /** With another value at `index`: one of the list, or its length to append the value. */
  with(index: number, value: T): Vector<T> {
    const length = Math.max(this.length, index + 1)
    const isFull = this.#root !== undefined && length > width ** (this.#height + 1)
    if (!isFull) return new Vector(length, this.#height, changed(this.#root, this.#height, index, value))
    const grown: Node<T> = { type: 'branch', nodes: this.#root === undefined ? [] : [this.#root] }
    return new Vector(length, this.#height + 1, changed(grown, this.#height + 1, index, value))
  }

  toArray(): T[] {
    const values: T[] = []
    collect(this.#root, values)
    return values
  }
}

/** Which child of a node at a level leads to the value at `index`. */
function placeAt(index: number, level: number): number {
  return (index >>> (bits * level)) & (width - 1)
}

function changed<T>(node: Node<T> | undefined, level: number, index: number, value: T): Node<T> {
  const place = placeAt(index, level)
  if (level === 0) {
    const values = node?.type === 'leaf' ? node.values.slice() : []
    values[place] = value
    return { type: 'leaf', values }
  }
  const nodes = node?.type === 'branch' ? node.nodes.slice() : []
  nodes[place] = changed(nodes[place], level - 1, index, value)
  return { type: 'branch', nodes }
}

function collect<T>(node: Node<T> | undefined, into: T[]): void {
  if (node?.type === 'branch') for (const child of node.nodes) collect(child, into)
  if (node?.type === 'leaf') for (const value of node.values) into.push(value)
}
