extension ManualPage {
    /// Colours are the system's, so that dark mode and forced colours are as everywhere.
    static let style = """
        :root {
          color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif;
          --line: color-mix(in srgb, CanvasText 20%, Canvas); --soft: color-mix(in srgb, CanvasText 6%, Canvas);
          --faint: color-mix(in srgb, CanvasText 75%, Canvas);
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; max-width: 78rem; padding: 1rem; overflow-wrap: anywhere;
          background: Canvas; color: CanvasText;
        }
        h1 { font-size: 1.6rem; margin: 0; }
        h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
        h3 { margin: 0; font-size: 1.05rem; }
        h4 { margin: 1rem 0 0.25rem; }
        a { color: LinkText; }
        h3 a, dt a { color: inherit; text-decoration: none; }
        dt span a, h3 a:hover, dt a:hover { text-decoration: underline; }
        :focus-visible { outline: 3px solid LinkText; outline-offset: 2px; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { position: static; }
        code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
        pre {
          overflow-x: auto; overflow-wrap: normal; background: var(--soft); border-radius: 0.3rem;
          padding: 0.5rem 0.75rem; margin: 0.25rem 0 0.75rem;
        }
        dl { margin: 0.25rem 0; }
        dt { margin-top: 0.5rem; }
        dd { margin: 0 0 0 1rem; }
        dt:target, dt:target + dd, h3:target { background: color-mix(in srgb, Highlight 25%, Canvas); }
        span { color: var(--faint); font-size: 0.9em; }
        .content { margin: 0.5rem 0 0; }
        .summary { margin: 0.25rem 0; font-weight: 600; }
        article { border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.75rem 1rem; margin: 1rem 0; }
        details { margin-top: 1rem; }
        summary { cursor: pointer; }
        nav ul { list-style: none; padding-left: 0; margin: 0.25rem 0; }
        nav > ul > li { margin-top: 0.75rem; }
        nav ul ul { padding-left: 0.75rem; }
        @media (min-width: 64rem) {
          body { display: grid; grid-template-columns: 22rem 1fr; gap: 0 2rem; }
          header, .skip:focus { grid-column: 1 / 3; }
          nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding-bottom: 2rem; }
          main { min-width: 0; }
          nav li li span { display: block; }
        }
        @media print { nav, .skip { display: none; } }
        """
}
