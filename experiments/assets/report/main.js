document.documentElement.classList.add("script");
Tables.start();
Points.start();
Chooser.start();
Calculator.start();
Curve.start();
Demo.start();
