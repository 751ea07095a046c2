/** The core of a troupe, for rooms that build on it. */
import type { Core } from './core.ts'

/** A field that no program sees. The values of a weak map would stay in memory until a full collection. */
const coreKey = /* @__PURE__ */ Symbol('core')

export function withCore<Troupe extends object>(troupe: Troupe, core: Core): Troupe {
  return Object.defineProperty(troupe, coreKey, { value: core })
}

/** The core of a troupe; `undefined` for another object. */
export function coreOf(troupe: object): Core | undefined {
  return (troupe as { readonly [coreKey]?: Core })[coreKey]
}
