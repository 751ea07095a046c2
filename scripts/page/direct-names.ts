/**
 * A package that was bundled before has its modules as objects of getters, which a bundler keeps whole. Within one file this
 * takes the values that are read from such an object by their own names, and marks the object as unused, so that the parts
 * that nothing reads are left out.
 */
import type { Plugin } from 'rolldown'

/** Defines the getters of an object: `helper(object, { name: () => value })`. */
const helper = /\b(\w+)=\((\w),(\w)\)=>\{for\(var (\w) in \3\)\w+\(\2,\4,\{get:\3\[\4\],enumerable:!0\}\)\}/g

export function directNames(file: RegExp): Plugin {
  return {
    name: 'direct-names',
    transform: {
      filter: { id: file },
      handler: (code) => ({ code: withDirectNames(code), map: null }),
    },
  }
}

function withDirectNames(code: string): string {
  const helpers = [...code.matchAll(helper)].map(([, name = '']) => name)
  return helpers.reduce<string>((text, name) => {
    const call = new RegExp(`;${name}\\((\\w+),\\{([^{}]*)\\}\\)`, 'g')
    const objects = [...text.matchAll(call)]
    const direct = objects.reduce<string>(
      (rest, [, object = '', getters = '']) => withoutReads(rest, object, valuesOf(getters)),
      text,
    )
    return direct.replaceAll(call, (whole) => `;/* @__PURE__ */${whole.slice(1)}`)
  }, code)
}

function valuesOf(getters: string): ReadonlyMap<string, string> {
  return new Map(
    [...getters.matchAll(/(\w+):\(\)=>(\w+)/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

/** `var{a:x,b:y}=object` becomes `var x=valueOfA,y=valueOfB`. */
function withoutReads(code: string, object: string, values: ReadonlyMap<string, string>): string {
  return code.replaceAll(new RegExp(`var\\{([\\w:,]+)\\}=${object}\\b`, 'g'), (whole, reads: string) => {
    const pairs = reads.split(',').map((read) => read.split(':'))
    const direct = pairs.map(([name = '', local = name]) => [local, values.get(name)] as const)
    return direct.every(([, value]) => value !== undefined)
      ? `var ${direct.map(([local, value]) => `${local}=${value}`).join(',')}`
      : whole
  })
}
