export { toMermaid, type MermaidOptions } from './to-mermaid.ts'
export { toStateTable } from './to-state-table.ts'
export { toSvg, type SvgOptions } from './to-svg.ts'
