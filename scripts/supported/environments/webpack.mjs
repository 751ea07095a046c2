/** Bundles with webpack 5 for production. With `--minimize` as its default is, which takes a minute. */
import webpack from 'webpack'

const common = {
  mode: 'production',
  context: process.cwd(),
  performance: false,
  devtool: false,
  optimization: { minimize: process.argv.includes('--minimize') },
}
const configurations = [
  { target: 'node22', entry: './names.mjs', output: { filename: 'webpack-node.cjs' } },
  {
    target: ['web', 'es2022'],
    entry: './browser.mjs',
    output: { filename: 'webpack-browser.cjs', publicPath: '/' },
  },
].map((own) => ({ ...common, ...own, output: { ...own.output, path: process.cwd() } }))

webpack(configurations, (error, stats) => {
  if (error) throw error
  if (!stats.hasErrors() && !stats.hasWarnings()) return
  console.error(stats.toString({ all: false, errors: true, warnings: true }))
  process.exitCode = 1
})
