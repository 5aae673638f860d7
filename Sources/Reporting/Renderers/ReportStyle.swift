/// The style sheet of the page; without `<` and `&`, so that the page stays well-formed XML.
let reportStyle = """
  :root{color-scheme:light dark;--paper:#fff;--panel:#f6f7f9;--ink:#16191d;--dim:#5b6470;
  --rule:#dde1e6;--link:#0b5cad;--pass:#0a6b4b;--fail:#a8321a;--inconclusive:#7a5a00;
  --s0:#0067a8;--s1:#c2500a;--s2:#00795c;--s3:#a84d86;--s4:#806600;--s5:#4a545f}
  @media (prefers-color-scheme:dark){:root{--paper:#14171b;--panel:#1c2026;--ink:#e6e9ed;
  --dim:#9aa4b0;--rule:#323943;--link:#7cb8f2;--pass:#4fc79c;--fail:#ff8f70;
  --inconclusive:#e6c04d;--s0:#62b5ee;--s1:#f09a4a;--s2:#3cc79b;--s3:#e39cc6;--s4:#e0cc4b;
  --s5:#a9b4c0}}
  *{box-sizing:border-box}
  html{scroll-padding-top:1rem}
  body{margin:0 auto;max-width:1160px;padding:1.6rem 1.4rem 4rem;background:var(--paper);
  color:var(--ink);font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",
  Arial,sans-serif;font-variant-numeric:tabular-nums}
  h1{margin:0;font-size:1.75rem;line-height:1.2;letter-spacing:-.01em;overflow-wrap:anywhere}
  h2{grid-column:1/-1;margin:0;font-size:1.15rem;letter-spacing:-.005em}
  h3{grid-column:1/-1;margin:0 0 -.6rem;font-size:.93rem}
  p{margin:0}a{color:var(--link)}
  code,pre{font:12.5px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
  .facts{margin-top:.35rem;color:var(--dim)}
  .facts span+span::before{content:"·";margin:0 .4em 0 .15em}
  nav{margin-top:.8rem;padding-top:.6rem;border-top:1px solid var(--rule);display:flex;
  flex-wrap:wrap;gap:.2rem 1.1rem}
  nav a{text-decoration:none}nav a:hover{text-decoration:underline}
  section{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem 2rem;
  align-items:start;margin-top:1.6rem;padding-top:1.1rem;border-top:1px solid var(--rule)}
  main section:first-child{border-top:0;margin-top:.4rem}
  .wide{grid-column:1/-1}
  .overall{font-size:1rem}
  .badge{display:inline-block;padding:.02rem .5rem;border:1px solid currentColor;
  border-radius:3px;font-weight:600;font-size:.86em;white-space:nowrap}
  .pass>.badge,.badge.pass,b.pass{color:var(--pass)}
  .badge.fail,b.fail{color:var(--fail)}
  .badge.inconclusive,b.inconclusive{color:var(--inconclusive)}
  .headline{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));margin:0;
  border:1px solid var(--rule);border-radius:4px;background:var(--panel);gap:1px;overflow:hidden}
  .headline>div{display:grid;grid-row:span 3;grid-template-rows:subgrid;row-gap:0;
  padding:.6rem .75rem .7rem;box-shadow:0 0 0 1px var(--rule)}
  .headline dt{color:var(--dim);font-size:.86rem;line-height:1.25}
  .headline dd{margin:0}
  .headline .figure{font-size:1.55rem;line-height:1.35;font-weight:600;letter-spacing:-.02em}
  .headline small{font-size:.55em;font-weight:400;color:var(--dim);letter-spacing:0}
  .headline .detail{color:var(--dim);font-size:.82rem;line-height:1.3}
  .headline .fail .figure{color:var(--fail)}
  .notes{margin:0;padding:.6rem .9rem .6rem 2rem;border-left:3px solid var(--inconclusive);
  background:var(--panel)}
  .scroll{overflow-x:auto}
  table{border-collapse:collapse;width:100%}
  caption,figcaption{text-align:left;margin-bottom:.4rem}
  caption,figcaption strong{font-weight:600}
  figcaption span{color:var(--dim);font-size:.9em}
  th{font-weight:500;color:var(--dim);font-size:.86rem;vertical-align:bottom}
  th,td{padding:.26rem .9rem .26rem 0;text-align:left;border-bottom:1px solid var(--rule)}
  td{vertical-align:top;overflow-wrap:break-word}
  .long{overflow-wrap:anywhere}
  th:last-child,td:last-child{padding-right:0}
  .number{text-align:right;white-space:nowrap}
  .number sup{margin-right:-.7em}
  td code{font-size:12px;color:var(--dim)}
  sup{font-size:.7em;line-height:0;margin-left:.15em}sup a{text-decoration:none}
  .remark{margin:.45rem 0 0;color:var(--dim);font-size:.86rem}ol.remark{padding-left:1.3rem}
  pre{margin:0;padding:.7rem .9rem;background:var(--panel);overflow-x:auto;
  border:1px solid var(--rule);border-radius:4px}
  figure{margin:0;min-width:0}
  svg{display:block;width:100%;max-width:560px;height:auto;font-size:12px;fill:var(--ink)}
  .grid{stroke:var(--rule)}.axis,.whisker{stroke:var(--dim)}
  .tick,.name{fill:var(--dim)}
  .label{font-weight:500;paint-order:stroke;stroke:var(--paper);stroke-width:3px;
  stroke-linejoin:round}
  .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
  .bin{fill:var(--c);fill-opacity:.28}.bin:hover,.bar:hover{fill-opacity:.6}
  .bar,.dot{fill:var(--c)}
  .mark{fill:var(--paper);stroke:var(--ink);stroke-width:2.5}
  .markline{stroke:var(--ink);stroke-width:1.25;stroke-dasharray:4 3}
  .s0{--c:var(--s0)}.s1{--c:var(--s1);stroke-dasharray:7 3}
  .s2{--c:var(--s2);stroke-dasharray:2 3}.s3{--c:var(--s3);stroke-dasharray:10 3 2 3}
  .s4{--c:var(--s4);stroke-dasharray:4 4}.s5{--c:var(--s5)}
  .cloud{fill:none;stroke:var(--dim);stroke-opacity:.55;stroke-width:4;stroke-linecap:round}
  .h0{fill:#00224e}.h1{fill:#123570}.h2{fill:#3b496c}.h3{fill:#575d6d}.h4{fill:#707173}
  .h5{fill:#8a8678}.h6{fill:#a59c74}.h7{fill:#c3b369}.h8{fill:#e1cc55}.h9{fill:#fee838}
  .hole{fill:var(--panel);stroke:var(--rule)}
  .cell{font-size:10.5px}.cell.bright{fill:#000}.cell.dark{fill:#fff}
  .edge{fill:none;stroke:#000;stroke-width:4}.pick,.base{fill:none;stroke:#fff;stroke-width:1.8}
  .base{stroke-dasharray:4 3}
  .gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:1.1rem}
  .gallery img{display:block;width:100%;height:230px;object-fit:contain;object-position:center;
  background:var(--panel);border:1px solid var(--rule);border-radius:3px}
  .gallery figcaption{margin:.35rem 0 0;font-size:.9rem;overflow-wrap:anywhere}
  .gallery figcaption strong{display:block}
  .absent{padding:1rem;height:230px;color:var(--dim);background:var(--panel);
  border:1px dashed var(--rule)}
  @media (max-width:820px){section{grid-template-columns:minmax(0,1fr)}
  body{padding:1rem .9rem 3rem}.headline{grid-template-columns:repeat(2,minmax(0,1fr))}}
  @media (max-width:520px){table{min-width:470px}.wide table{min-width:620px}svg{font-size:13.5px}}
  @media print{:root{--paper:#fff;--panel:#fff;--ink:#000;--dim:#444;--rule:#bbb;--s0:#0067a8;
  --s1:#c2500a;--pass:#0a6b4b;--fail:#a8321a;--inconclusive:#7a5a00}
  body{max-width:none;padding:0;font-size:10pt}nav{display:none}
  figure,tr,.headline,.notes{break-inside:avoid}h2,h3,caption{break-after:avoid}}

  """
