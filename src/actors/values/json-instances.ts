/** Decides which instances of classes JSON can hold: those whose enumerable own fields are all that they show. */

/** The loss of an instance without `toJSON` as JSON, as the end of a sentence; `undefined`: none. */
export function lossOfInstance(value: object): string | undefined {
  if (value instanceof Error) return `is ${article(nameOf(value))} ${nameOf(value)}`
  const tag = tagOf(value)
  if (exotic.has(tag) || ArrayBuffer.isView(value)) return `is ${article(tag)} ${tag}`
  const { accessor, method } = shapeOf(Object.getPrototypeOf(value) as object)
  if (accessor !== undefined) {
    return `is ${article(nameOf(value))} ${nameOf(value)}, whose accessor "${accessor}" is no field: give it a toJSON`
  }
  if (method && Object.keys(value).length === 0) {
    return `is ${article(nameOf(value))} ${nameOf(value)} without fields of its own: give it a toJSON`
  }
  return undefined
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** A string, number or boolean as an object. */
export function isBoxed(value: object): boolean {
  const tag = tagOf(value)
  return tag === 'Number' || tag === 'String' || tag === 'Boolean'
}

/** Classes whose content is in no field. */
const exotic: ReadonlySet<string> = new Set([
  'ArrayBuffer',
  'Date',
  'Error',
  'Map',
  'Promise',
  'RegExp',
  'Set',
  'SharedArrayBuffer',
  'WeakMap',
  'WeakRef',
  'WeakSet',
])

interface Shape {
  readonly accessor?: string
  readonly method: boolean
}

const shapes = new WeakMap<object, Shape>()

/** The members that instances have besides their own fields. */
function shapeOf(prototype: object): Shape {
  const known = shapes.get(prototype)
  if (known !== undefined) return known
  const above = Object.getPrototypeOf(prototype) as object | null
  // The end of the chain, also where the object comes from another realm: `vm`, an iframe.
  if (above === null && Object.hasOwn(prototype, 'hasOwnProperty')) return { method: false }
  const inherited = above === null ? { method: false } : shapeOf(above)
  const { constructor: _constructor, ...descriptors } = Object.getOwnPropertyDescriptors(prototype)
  const own = Object.entries(descriptors)
  const accessor = own.find(([, descriptor]) => descriptor.get !== undefined)?.[0] ?? inherited.accessor
  const shape = {
    method: inherited.method || own.length > 0,
    ...(accessor === undefined ? {} : { accessor }),
  }
  shapes.set(prototype, shape)
  return shape
}

function nameOf(value: object): string {
  const tag = tagOf(value)
  if (tag !== 'Object' && tag !== 'Error') return tag
  const made: unknown = (value as { readonly constructor?: unknown }).constructor
  return typeof made === 'function' && made.name !== '' ? made.name : 'object'
}

function article(name: string): 'a' | 'an' {
  return /^[AEIO]/i.test(name) ? 'an' : 'a'
}
